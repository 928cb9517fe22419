import { describe, expect, it, jest } from '@jest/globals';
import { startTestApp } from '../../support/app.ts';
import { buyerWith, CARDS, fetchPage, givenSession, sendForm } from '../../support/checkout.ts';

describe('the limit of the checkout forms', () => {
  it('is per address, and says when to try again', async () => {
    const app = await startTestApp({ RATE_LIMITS: 'on', LIMIT_CHECKOUT: '2' });
    try {
      const { client } = await app.partner();
      const session = await givenSession(app, client);
      const page = await fetchPage(session.url);
      const send = () => sendForm(session.url, 'pay', {}, page);
      expect([(await send()).status, (await send()).status]).toEqual([422, 422]);
      const over = await send();
      expect([over.status, Number(over.headers.get('Retry-After')) > 0]).toEqual([429, true]);
      expect(over.text).toContain('Too many attempts');
    } finally {
      await app.stop();
    }
  });

  it('asks the provider so often and no more, a session, and then shows what is known', async () => {
    const app = await startTestApp({ RATE_LIMITS: 'on', LIMIT_CHECKOUT: '2' });
    try {
      const { client } = await app.partner();
      const session = await givenSession(app, client);
      await sendForm(session.url, 'pay', buyerWith(CARDS.asks));
      const asked = jest.spyOn(app.runtime.payments('SANDBOX'), 'read');
      const url = new URL(session.url);
      url.pathname += '/return';
      for (let look = 0; look < 4; look += 1) {
        expect(await fetchPage(url.href)).toMatchObject({ status: 303 });
      }
      expect(asked).toHaveBeenCalledTimes(2);
    } finally {
      await app.stop();
    }
  });
});
