import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { delistListing } from '../../../shared/market/inventory/change-listings.ts';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import type { CaseStatus } from '../../../shared/sales/brokerage/brokerage-case.ts';
import { moveCase } from '../../../shared/sales/brokerage/case-lifecycle.ts';
import { progressUrl } from '../../../shared/sales/brokerage/progress-link.ts';
import { getCaseById } from '../../../shared/sales/brokerage/read-cases.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenCase, moveToDomain, unlistedDomain } from '../../support/brokerage.ts';
import { buyerWith, CARDS, fetchPage, sendForm } from '../../support/checkout.ts';
import { givenVisitor, readable } from '../../support/console.ts';
import { givenListing } from '../../support/factories.ts';
import { givenOps } from '../../support/ops-client.ts';
import { deliver } from '../../support/referrals.ts';
import { givenQuote, recordSale } from '../../support/sales.ts';
import type { SignedClient } from '../../support/signed-client.ts';
import { takeBack } from '../../support/take-back.ts';

let app: TestApp;
let client: SignedClient;
let owner: { partnerId: string; environment: 'SANDBOX' | 'LIVE' };

beforeAll(async () => {
  app = await startTestApp();
  const partner = await app.partner();
  ({ client } = partner);
  owner = partner;
});
afterAll(() => app.stop());

/** A self-serve case with a budget of 5,000.00 and an offer from the owner. */
async function given(offerCents = 600_000, options: { domain?: string } = {}) {
  const opened = await givenCase(app.runtime, owner, options);
  const { id } = opened;
  const link = new URL(await progressUrl(app.runtime, id));
  const url = (action = '') => `${app.url}${link.pathname}${action}${link.search}`;
  const move = (to: CaseStatus, offer?: number) =>
    app.runtime.db.transact((uow) =>
      moveCase(uow, app.runtime, { caseId: id, to, by: 'ops', offerCents: offer }),
    );
  await move('CONTACTING_OWNER');
  await move('NEGOTIATING', offerCents);
  return {
    ...opened,
    move,
    page: async () => (await fetch(url())).text(),
    send: (action: string, form: Record<string, string> = {}) =>
      fetch(url(action), { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' }),
    now: async () => (await getCaseById(app.runtime, id)).found,
    talk: async () =>
      (await getCaseById(app.runtime, id)).timeline.map(({ event, by, amount }) =>
        `${by} ${event} ${amount?.amount ?? ''}`.trim(),
      ),
  };
}
type Given = Awaited<ReturnType<typeof given>>;

/** The payment page that "Pay" leads to. */
async function payPage({ send }: Given): Promise<string> {
  const answer = await send('/pay');
  expect(answer.status).toBe(303);
  return app.url + answer.headers.get('Location');
}

describe('an offer from the owner', () => {
  it('is shown as above or within the budget', async () => {
    const above = await (await given(500_001)).page();
    expect(above).toContain('above your budget of $5,000.00');
    expect(above).not.toContain('within your budget');
    const within = await (await given(500_000)).page();
    expect(within).toContain('within your budget');
    expect(within).not.toContain('above your budget');
  });

  it('can be countered with an amount in minor units', async () => {
    const deal = await given(600_000);
    for (const offer_cents of ['', '4,000', '1.5', '-1', '9'.repeat(16), '600000']) {
      expect((await deal.send('/counter', { offer_cents })).status).toBe(400);
    }
    expect((await deal.send('/counter', { offer_cents: '400001' })).status).toBe(303);
    expect((await deal.now()).latestOffer).toMatchObject({ amount: 400_001, currency: 'USD' });
  });

  it('can be countered or declined, and the owner can make another offer', async () => {
    const deal = await given();
    expect((await deal.send('/counter', { counter: '4,000' })).status).toBe(303);
    await deal.send('/counter', { counter: '4,000.00' });
    expect(await deal.page()).toContain('your offer of $4,000.00');
    // One's own offer can't be accepted.
    expect((await deal.send('/accept', { offer: '400000' })).status).toBe(409);
    await deal.move('NEGOTIATING', 480_000);
    await deal.send('/decline', { offer: '480000' });
    await deal.send('/decline', { offer: '480000' });
    await deal.move('NEGOTIATING', 450_000);
    await deal.send('/accept', { offer: '450000' });
    await deal.send('/accept', { offer: '450000' });
    expect(await deal.talk()).toEqual([
      'partner open 500000',
      'ops contact_owner',
      'ops negotiate 600000',
      'buyer counter 400000',
      'ops negotiate 480000',
      'buyer decline 480000',
      'ops negotiate 450000',
      'buyer accept 450000',
    ]);
    const page = await deal.page();
    for (const line of [
      'You offered $4,000.00.',
      'You declined the offer of $4,800.00.',
      'You accepted the offer of $4,500.00.',
    ]) {
      expect(page).toContain(line);
    }
  });

  it('is shown to operators with the whole negotiation', async () => {
    const deal = await given();
    await deal.send('/counter', { counter: '4,000' });
    const ops = await givenOps(app);
    const { body } = await ops.get(`/brokerage/${deal.id}`);
    expect(body.latest_offer_cents).toBe(400_000);
    expect(body.timeline.at(-1)).toMatchObject({ event: 'counter', by: 'buyer' });
    const staff = await givenVisitor(app, 'support');
    const shown = async (path: string) => readable((await staff.visit(path)).text);
    for (const path of ['/brokerage?sort=newest', `/brokerage/${deal.id}`]) {
      expect(await shown(path)).toContain('$4,000.00 from the buyer');
    }
    await deal.move('NEGOTIATING', 480_000);
    expect(await shown(`/brokerage/${deal.id}`)).toContain('$4,800.00 from the owner');
  });

  it('cannot be accepted if it has changed since the page was opened', async () => {
    const deal = await given(400_000);
    await deal.move('NEGOTIATING', 490_000);
    const answer = await deal.send('/accept', { offer: '400000' });
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain('The owner offers $4,900.00');
    expect((await deal.now()).status).toBe('NEGOTIATING');
  });

  it.each([
    ['the same price', '6,000.00'],
    ['no amount', 'a lot'],
    ['nothing', '0'],
  ])('cannot be countered with %s', async (_what, counter) => {
    const deal = await given();
    const answer = await deal.send('/counter', { counter });
    expect(answer.status).toBe(400);
    expect((await deal.now()).latestOffer?.amount).toBe(600_000);
  });

  it('cannot be accepted by the buyer in a managed case', async () => {
    const { id } = await givenCase(app.runtime, owner, { tier: 'managed' });
    const link = new URL(await progressUrl(app.runtime, id));
    const answer = await fetch(`${app.url}${link.pathname}/accept${link.search}`, {
      method: 'POST',
      body: new URLSearchParams({ offer: '1' }),
    });
    expect(answer.status).toBe(409);
  });
});

describe('payment of an agreed price', () => {
  const agreed = async (offer = 450_000, options: { domain?: string } = {}) => {
    const deal = await given(offer, options);
    await deal.send('/accept', { offer: String(offer) });
    return deal;
  };

  it('creates an order with an invoice and a transfer, and completes the case', async () => {
    const deal = await agreed();
    expect(await deal.page()).toContain('Pay $4,500.00');
    const url = await payPage(deal);
    expect(await payPage(deal)).toBe(url);
    expect((await fetchPage(url)).text).toContain('Pay $4,500.00');
    const sent = await sendForm(url, 'pay', buyerWith(CARDS.good));
    expect(sent.status).toBe(303);
    const { status, orderId, dealPrice } = await deal.now();
    expect([status, dealPrice?.amount]).toEqual(['COMPLETED', 450_000]);
    const order = (await client.get(`/v1/orders/${orderId}`).expect(200)).body;
    expect(order).toMatchObject({
      status: 'PAID',
      payment_model: 'brokerage',
      sale_price_cents: 450_000,
      buyer: { email: 'buyer@example.com', name: 'A. Buyer', country: 'DE' },
    });
    const thanks = (await fetchPage(url)).text;
    const [, back = ''] = /href="([^"]+)">Return to your request</.exec(thanks) ?? [];
    const asked = new URL(back.replaceAll('&amp;', '&'));
    expect(await (await fetch(app.url + asked.pathname + asked.search)).text()).toContain(
      'You bought the domain',
    );
    const page = await deal.page();
    expect(page).toContain('You bought the domain');
    expect(page).toContain('/documents/invoice');
    const moved = await client.post(`/v1/sandbox/orders/${orderId}/advance`, {
      body: { to: 'TRANSFER_IN_PROGRESS' },
    });
    expect(moved.body.status).toBe('TRANSFER_IN_PROGRESS');
    const { events } = (await client.get('/v1/events', { query: { limit: '100' } }).expect(200))
      .body;
    const told = events.filter(
      ({ data }: { data: { case?: { case_id: string } } }) => data.case?.case_id === deal.id,
    );
    expect(told.at(-1)).toMatchObject({
      type: 'brokerage.case_completed',
      data: { case: { deal_price_cents: 450_000, order_id: orderId } },
    });
    expect((await checkLedger(app.runtime)).imbalances).toEqual([]);
  });

  it('says that we check the order first if it goes to review', async () => {
    const url = await payPage(await agreed(450_000, { domain: `hold-${unlistedDomain()}` }));
    await sendForm(url, 'pay', buyerWith(CARDS.good));
    expect((await fetchPage(url)).text).toContain('<li>We check the order.</li>');
    const straight = await payPage(await agreed());
    await sendForm(straight, 'pay', buyerWith(CARDS.good));
    expect((await fetchPage(straight)).text).not.toContain('We are checking the order');
  });

  it('does not reveal an unlisted domain to other partners', async () => {
    const deal = await agreed();
    await sendForm(await payPage(deal), 'pay', buyerWith(CARDS.good));
    const rival = await app.partner();
    await rival.client.get(`/v1/domains/${deal.domain}`).expect(404);
    const quote = await rival.client.post('/v1/quotes', { body: { domain: deal.domain } });
    expect(quote.body.error.details.reason).toBe('domain_sold');
  });

  it('is charged once when submitted twice at once', async () => {
    const deal = await agreed();
    const url = await payPage(deal);
    const page = await fetchPage(url);
    await Promise.all([1, 2].map(() => sendForm(url, 'pay', buyerWith(CARDS.good), page)));
    const paid = await app.runtime.db.knex('orders').where({ brokerage_case_id: deal.id });
    expect(paid).toHaveLength(1);
    expect(await deal.now()).toMatchObject({ status: 'COMPLETED' });
  });

  it('is refunded to the card when the order is reversed', async () => {
    const deal = await agreed();
    await sendForm(await payPage(deal), 'pay', buyerWith(CARDS.good));
    const { orderId } = await deal.now();
    await takeBack(app.runtime, orderId ?? '');
    const payment = await app.runtime.db.knex('payments').where({ order_id: orderId }).first();
    expect(payment.status).toBe('refund_pending');
    expect(await app.runtime.db.knex('buyer_repayments').where({ order_id: orderId })).toEqual([]);
  });

  it('is rejected once the case is closed', async () => {
    const deal = await agreed();
    const url = await payPage(deal);
    const page = await fetchPage(url);
    await deal.move('CLOSED_NO_DEAL');
    await sendForm(url, 'pay', buyerWith(CARDS.good), page);
    expect((await fetchPage(url)).status).toBe(410);
    expect((await deal.send('/pay')).status).toBe(409);
    expect(await app.runtime.db.knex('orders').where({ brokerage_case_id: deal.id })).toEqual([]);
  });

  it.each([
    ['CLOSED_NO_DEAL', {}],
    ['COMPLETED', { deal_price_cents: 450_000 }],
  ])('ends its page when staff move the case to %s', async (to, more) => {
    const deal = await agreed();
    const url = await payPage(deal);
    const ops = await givenOps(app);
    const moved = await ops.post(`/brokerage/${deal.id}/move`, { to, ...more });
    expect(moved.status).toBe(200);
    const id = new URL(url).pathname.split('/').at(-1);
    const { body } = await client.get(`/v1/checkout-session/${id}`).expect(200);
    expect(body.status).toBe('cancelled');
    const page = await fetchPage(url);
    expect([page.status, page.text]).toEqual([410, expect.stringContaining('The deal has ended')]);
  });

  it('keeps its page while a payment is in progress, which then buys nothing', async () => {
    const deal = await agreed();
    const url = await payPage(deal);
    await sendForm(url, 'pay', buyerWith(CARDS.asks));
    const ops = await givenOps(app);
    await ops.post(`/brokerage/${deal.id}/move`, { to: 'CLOSED_NO_DEAL' });
    const id = new URL(url).pathname.split('/').at(-1);
    expect((await client.get(`/v1/checkout-session/${id}`)).body.status).toBe('open');
    expect((await fetchPage(url)).status).toBe(200);
    await sendForm(url, 'confirm', { answer: 'approve' });
    expect(await app.runtime.db.knex('orders').where({ brokerage_case_id: deal.id })).toEqual([]);
  });

  it('sells the domain even if its owner listed it meanwhile, and marks the listing sold', async () => {
    const deal = await agreed();
    const listing = await givenListing(app.runtime, { domain: deal.domain });
    const url = await payPage(deal);
    await sendForm(url, 'pay', buyerWith(CARDS.asks));
    const rival = await app.partner();
    const taken = await rival.client.post('/v1/quotes', { body: { domain: deal.domain } });
    expect(taken.body.error.details.reason).toBe('domain_reserved');
    await sendForm(url, 'confirm', { answer: 'approve' });
    expect((await deal.now()).status).toBe('COMPLETED');
    const [row] = await app.runtime.db.knex('listings').where({ id: listing.id });
    expect(row.status).toBe('sold');
  });

  it('is not possible once the domain was sold here, and the page says so', async () => {
    const deal = await agreed();
    await givenListing(app.runtime, { domain: deal.domain });
    const url = await payPage(deal);
    await recordSale(app.runtime, await app.partner(), { domain: deal.domain });
    const gone = await fetchPage(url);
    expect(gone.status).toBe(410);
    expect(gone.text).toContain('the domain can no longer be bought');
    const staff = await givenVisitor(app, 'support');
    const shown = await staff.visit(`/brokerage/${deal.id}`);
    expect(readable(shown.text)).toContain('Listed here Sold');
  });

  it('blocks new brokerage cases for the domain until it is delivered', async () => {
    const deal = await agreed();
    await sendForm(await payPage(deal), 'pay', buyerWith(CARDS.good));
    const query = { domain: deal.domain };
    const asked = () => client.get('/v1/brokerage/eligibility', { query });
    expect((await asked()).body.reasons).toEqual(['sold']);
    const body = {
      domain: deal.domain,
      tier: 'managed',
      buyer_email: 'b@example.com',
      budget: 500_000,
    };
    const refused = await client.post('/v1/brokerage', { body }).expect(422);
    expect(refused.body.error.message).toContain('it was sold here, and is not delivered yet');
    await deliver(app.runtime, (await deal.now()).orderId ?? '');
    expect((await asked()).body.reasons).toEqual([]);
  });

  it('is blocked while another deal has sold the domain, until that order is reversed', async () => {
    const first = await agreed();
    await sendForm(await payPage(first), 'pay', buyerWith(CARDS.good));
    const second = await agreed();
    await moveToDomain(app.runtime, second.id, first.domain);
    const page = await second.page();
    expect(page).toContain('Someone else bought the domain');
    expect(page).not.toContain('Pay $4,500.00');
    const url = await payPage(second);
    const sold = await fetchPage(url);
    expect(sold.status).toBe(410);
    expect(sold.text).toContain('the domain can no longer be bought');
    await takeBack(app.runtime, (await first.now()).orderId ?? '');
    expect((await fetchPage(url)).text).toContain('Pay $4,500.00');
    expect(await second.page()).toContain('Pay $4,500.00');
  });

  it('charges nothing while a quote holds the domain, even if it was delisted', async () => {
    const deal = await agreed();
    const url = await payPage(deal);
    const page = await fetchPage(url);
    await givenListing(app.runtime, { domain: deal.domain });
    await givenQuote(app.runtime, await app.partner(), deal.domain);
    await delistListing(app.runtime, { environment: 'SANDBOX', domain: deal.domain });
    await sendForm(url, 'pay', buyerWith(CARDS.good), page);
    const held = await fetchPage(url);
    expect([held.status, held.headers.get('Retry-After')]).toEqual([409, '60']);
    const charged = await app.runtime.db
      .knex('payments')
      .join('checkout_sessions as s', 's.id', 'checkout_session_id')
      .where({ brokerage_case_id: deal.id });
    expect(charged).toEqual([]);
  });

  it('shows that the deal has ended if it was paid elsewhere', async () => {
    const deal = await agreed();
    const url = await payPage(deal);
    await app.runtime.db.transact((uow) =>
      moveCase(uow, app.runtime, {
        caseId: deal.id,
        to: 'COMPLETED',
        by: 'ops',
        dealPriceCents: 450_000,
      }),
    );
    const over = await fetchPage(url);
    expect(over.status).toBe(410);
    expect(over.text).toContain('The deal has ended');
  });
});
