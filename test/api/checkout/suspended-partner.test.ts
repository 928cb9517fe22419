import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  resumePartner,
  suspendPartner,
} from '../../../shared/people/partners/partner-lifecycle.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import {
  buyerWith,
  CARDS,
  fetchPage,
  givenSession,
  ordersOf,
  type SessionFixture,
  sendForm,
} from '../../support/checkout.ts';

describe('the checkout page of a suspended partner', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.stop());

  const paymentsOf = (session: SessionFixture) =>
    app.runtime.db.knex('payments').where({ checkout_session_id: session.id });

  it('sells nothing, even when the page was already open', async () => {
    const partner = await app.partner();
    const session = await givenSession(app, partner.client);
    const page = await fetchPage(session.url);
    await suspendPartner(app.runtime, 'test', partner.partnerId);
    const sent = await sendForm(session.url, 'pay', buyerWith(CARDS.good), page);
    expect(sent.status).toBe(303);
    expect(await ordersOf(app, session.id)).toEqual([]);
    expect(await paymentsOf(session)).toEqual([]);
    expect((await fetchPage(session.url)).status).toBe(410);
    await resumePartner(app.runtime, 'test', partner.partnerId);
    expect((await fetchPage(session.url)).status).toBe(200);
  });

  it('rejects the confirmation of a payment if the partner was suspended meanwhile', async () => {
    const partner = await app.partner();
    const session = await givenSession(app, partner.client);
    await sendForm(session.url, 'pay', buyerWith(CARDS.asks));
    await suspendPartner(app.runtime, 'test', partner.partnerId);
    await sendForm(session.url, 'confirm', { answer: 'approve' });
    expect(await ordersOf(app, session.id)).toEqual([]);
    expect(await paymentsOf(session)).toMatchObject([{ status: 'failed' }]);
  });
});
