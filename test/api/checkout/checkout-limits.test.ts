import { describe, expect, it, jest } from '@jest/globals';
import { startTestApp } from '../../support/app.ts';
import {
  buyerWith,
  CARDS,
  fetchPage,
  givenSession,
  ordersOf,
  type SessionFixture,
  sendForm,
} from '../../support/checkout.ts';
import { givenListing } from '../../support/factories.ts';
import { givenOps } from '../../support/ops-client.ts';

describe('the limit of open holds per partner', () => {
  it('includes buyers on checkout pages, even when they pay at the same time', async () => {
    const app = await startTestApp({ MAX_OPEN_HOLDS: '3' });
    try {
      const { client } = await app.partner();
      const quote = async (status: number) => {
        const { domain } = await givenListing(app.runtime);
        return client.post('/v1/quotes', { body: { domain } }).expect(status);
      };
      const first = await quote(201);
      const sessions = await Promise.all(
        Array.from({ length: 5 }, () => givenSession(app, client)),
      );
      const begin = ({ url }: { url: string }) => sendForm(url, 'pay', buyerWith(CARDS.asks));
      const answers = await Promise.all(sessions.map(begin));
      expect(answers.map(({ status }) => status).sort()).toEqual([303, 303, 409, 409, 409]);
      const refused = sessions.filter((_, at) => answers[at]?.status === 409);
      expect(answers.find(({ status }) => status === 409)?.text).toContain(
        'Many people are paying right now',
      );
      expect((await quote(409)).body.error.details.reason).toBe('too_many_holds');
      expect(
        await app.runtime.db.knex('payments').whereIn(
          'checkout_session_id',
          refused.map(({ id }) => id),
        ),
      ).toEqual([]);

      // A buyer who continues keeps the existing hold. Releasing a quote makes room for another.
      const held = sessions.find((_, at) => answers[at]?.status === 303);
      await client.delete(`/v1/quotes/${first.body.quote_id}`).expect(204);
      expect((await begin(refused[0] as (typeof sessions)[0])).status).toBe(303);
      await sendForm(held?.url ?? '', 'confirm', { answer: 'approve' });
      expect(await ordersOf(app, held?.id ?? '')).toHaveLength(1);
      // A sold domain is no longer held.
      expect((await begin(refused[1] as (typeof sessions)[0])).status).toBe(303);
    } finally {
      await app.stop();
    }
  });
});

describe('purchases in review', () => {
  it('do not count as holds of the partner, and have a limit of the same size', async () => {
    const app = await startTestApp({ MAX_OPEN_HOLDS: '2', REVIEW_COUNTRIES: 'GB' });
    try {
      const { client } = await app.partner();
      const ops = await givenOps(app);
      const quote = async (status: number) => {
        const { domain } = await givenListing(app.runtime);
        return client.post('/v1/quotes', { body: { domain } }).expect(status);
      };
      const held = { ...buyerWith(CARDS.good), country: 'GB' };
      const buy = ({ url }: { url: string }) => sendForm(url, 'pay', held);
      const sessions = await Promise.all(
        Array.from({ length: 4 }, () => givenSession(app, client)),
      );
      const answers = await Promise.all(sessions.map(buy));
      expect(answers.map(({ status }) => status).sort()).toEqual([303, 303, 409, 409]);
      const refused = sessions.filter((_, at) => answers[at]?.status === 409);
      const waiting = sessions.filter((_, at) => answers[at]?.status === 303);
      expect(answers.find(({ status }) => status === 409)?.text).toContain(
        'Many people are paying right now',
      );
      // Reviews count as holds neither while they wait nor after approval.
      await quote(201);
      await ops.post(`/checkout-reviews/${waiting[0]?.id}/clear`);
      await quote(201);
      expect((await quote(409)).body.error.details.reason).toBe('too_many_holds');
      // The approved buyer can pay although the partner has no holds left.
      expect((await buy(waiting[0] as SessionFixture)).status).toBe(303);
      expect(await ordersOf(app, waiting[0]?.id ?? '')).toHaveLength(1);
      const other = await app.partner();
      expect((await buy(await givenSession(app, other.client))).status).toBe(303);

      // A rejected buyer can try again once another review is decided.
      await app.runtime.db.knex('quotes').where({ state: 'open', checkout_session_id: null }).del();
      const [again, last] = refused as [SessionFixture, SessionFixture];
      expect((await buy(again)).status).toBe(303);
      expect((await buy(last)).status).toBe(409);
      await ops.post(`/checkout-reviews/${again.id}/decline`);
      expect((await buy(last)).status).toBe(303);
      const queue = await ops.get('/checkout-reviews');
      const ids = queue.body.sessions.map((each: { id: string }) => each.id);
      expect(ids).toEqual(expect.arrayContaining([waiting[1]?.id, last.id]));
      expect(ids).not.toContain(again.id);
    } finally {
      await app.stop();
    }
  });
});

describe('rate limits of the checkout page', () => {
  it('apply per address, and say when to try again', async () => {
    const app = await startTestApp({ RATE_LIMITS: 'on', limitCheckout: 2 });
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

  it('cap how often a session asks the payment provider, and then show the last known state', async () => {
    const app = await startTestApp({ RATE_LIMITS: 'on', limitCheckout: 2 });
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
