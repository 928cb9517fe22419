import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConflictError, NotFoundError, UnprocessableError } from '../../sdk/src/errors.ts';
import { OPERATIONS } from '../../sdk/src/generated/operations.ts';
import { addListing } from '../../shared/market/inventory/change-listings.ts';
import { counterOffer } from '../../shared/sales/offers/offer-lifecycle.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { givenListing, givenPartner } from '../support/factories.ts';
import { deliver, givenReferredOrder } from '../support/referrals.ts';
import { noting, sdkClient } from '../support/sdk.ts';

const BUYER = { email: 'buyer@example.com', name: 'A. Buyer', country: 'DE' };

describe('the methods of the SDK against the service', () => {
  let app: TestApp;
  let partner: Awaited<ReturnType<TestApp['partner']>>;
  const everyCall = new Set<string>();
  const noted = () => noting(sdkClient(app, partner), everyCall);
  beforeAll(async () => {
    app = await startTestApp();
    partner = await app.partner({ affiliate: true });
  });
  afterAll(() => app.stop());

  it('discovers and quotes', async () => {
    const client = noted();
    const domain = 'neonwallet.com';
    await addListing(app.runtime, { environment: 'SANDBOX', domain, priceCents: 485_000 });
    const found = await client.domains.search({
      q: "neon wallet (that's it!)",
      max_price_cents: 1e6,
    });
    expect(found.results[0]?.domain).toBe(domain);
    expect(await client.domains.get({ name: domain })).toMatchObject({ domain, status: 'listed' });
    expect(await client.availability.get({ domain })).toMatchObject({ available: true });
    expect(await client.pricing.get({ domain })).toMatchObject({ price_cents: 485_000 });
    const quote = await client.quotes.create({ domain });
    expect(await client.quotes.release({ quote_id: quote.quote_id })).toBeUndefined();
  });

  it('sells, delivers, settles and reports', async () => {
    const client = noted();
    const { domain, priceCents } = await givenListing(app.runtime);
    const order = await client.orders.create({ domain, expected_price: priceCents, buyer: BUYER });
    const { public_id } = order;
    expect((await client.orders.list({ domain })).orders).toEqual([order]);
    for (const to of ['TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'SETTLED'] as const) {
      expect(await client.orders.advance({ public_id, to })).toMatchObject({ status: to });
    }
    const { settlement_id } = await client.orders.get({ public_id });
    const [statement] = (await client.settlements.list({ status: 'closed' })).settlements;
    expect(statement?.id).toBe(settlement_id);
    const detail = await client.settlements.get({ id: String(settlement_id) });
    expect(detail.lines[0]?.order_id).toBe(public_id);
    expect((await client.transactions.list()).transactions[0]?.order_id).toBe(public_id);
    expect(
      new TextDecoder().decode((await client.settlements.get.pdf({ id: detail.id })).slice(0, 5)),
    ).toBe('%PDF-');
    const [document] = detail.documents;
    const id = String(document?.id);
    expect(await client.documents.get({ id })).toEqual(document);
    expect(await client.documents.get.pdf({ id })).toEqual(
      await client.settlements.get.pdf({ id: detail.id }),
    );
    expect((await client.payouts.list({ limit: 1 })).payouts).toEqual([]);
    await expect(client.payouts.get({ id: 'pay_none' })).rejects.toMatchObject({ status: 404 });
    let csv = '';
    for await (const text of client.transactions.list.csv({ status: 'SETTLED' })) csv += text;
    expect(csv.split('\n')[1]).toContain(public_id);
  });

  it('refunds, and opens checkout sessions', async () => {
    const client = noted();
    const { domain, priceCents } = await givenListing(app.runtime);
    const order = await client.orders.create({ domain, expected_price: priceCents, buyer: BUYER });
    const refund = { order_id: order.public_id, reason: 'duplicate' } as const;
    expect(await client.refunds.create(refund)).toMatchObject({ amount_cents: priceCents });
    const session = await client.checkoutSessions.create({ domain });
    expect(await client.checkoutSessions.get({ id: session.id })).toMatchObject({ status: 'open' });
  });

  it('brokers', async () => {
    const client = noted();
    expect(await client.eligibility.get({ domain: 'wanted.com' })).toMatchObject({
      eligible: true,
    });
    const opened = await client.cases.open({
      domain: 'wanted.com',
      tier: 'managed',
      buyer_email: 'buyer@example.com',
      budget: 500_000,
    });
    const { case_id } = opened;
    expect(await client.cases.get({ case_id })).toMatchObject({ budget_cents: 500_000 });
    expect((await client.cases.list()).cases.map((each) => each.case_id)).toEqual([case_id]);
  });

  it('refers', async () => {
    const client = noted();
    const link = await client.links.create({ kind: 'generic', label: 'Newsletter' });
    const seller = await givenPartner(app.runtime);
    const sale = await givenReferredOrder(app.runtime, seller, link.code, { priceCents: 189_000 });
    await deliver(app.runtime, sale.id);
    expect((await client.links.list()).links[0]?.conversions).toBe(1);
    expect(await client.clicks.get()).toMatchObject({ totals: { clicks: expect.any(Number) } });
    expect((await client.sales.list()).sales).toHaveLength(1);
    expect((await client.commissions.list()).commissions.length).toBeGreaterThan(0);
    expect(await client.referralPayouts.list()).toMatchObject({ total_paid_cents: 0 });
    expect(await client.analytics.get({ interval: 'day' })).toMatchObject({ currency: 'USD' });
  });

  it('registers an endpoint, and reads and resends events', async () => {
    const client = noted();
    const url = 'https://partner.example/hooks';
    await client.webhookEndpoints.register({ url, secret: 'a-secret-of-sixteen' });
    expect(await client.webhookEndpoints.get()).toMatchObject({ url, active: true });
    await client.webhookEndpoints.test();
    const { events } = await client.events.list({ limit: 1 });
    expect(events[0]?.type).toBe('order.recorded');
    await client.events.resend({ id: String(events[0]?.id) });
    const { deliveries } = await client.deliveries.list();
    expect(deliveries.map((each) => each.event_type)).toEqual(['order.recorded', 'webhook.ping']);
    await client.deliveries.resend({ id: String(deliveries[0]?.id) });
    expect(await client.webhookEndpoints.remove()).toBeUndefined();
  });

  it('keeps endpoints by name, and replays to them', async () => {
    const { webhookEndpoints, replays } = noted();
    const made = await webhookEndpoints.create({
      name: 'orders',
      url: 'https://partner.example/orders',
      event_types: ['order.*'],
    });
    const { id } = made;
    expect(made.secret).toMatch(/^whsec_/);
    expect((await webhookEndpoints.list()).endpoints.map((each) => each.id)).toContain(id);
    expect(await webhookEndpoints.retrieve({ id })).toMatchObject({ name: 'orders' });
    expect(await webhookEndpoints.update({ id, payload: 'thin' })).toMatchObject({
      payload: 'thin',
    });
    expect((await webhookEndpoints.rotateSecret({ id })).secret).not.toBe(made.secret);
    await webhookEndpoints.sendTest({ id });
    const to = app.runtime.clock.now();
    const from = new Date(to.getTime() - 60_000);
    const replay = await webhookEndpoints.replay({
      id,
      from: from.toISOString(),
      to: to.toISOString(),
    });
    expect(await replays.get({ id: replay.id })).toMatchObject({ id: replay.id });
    await replays.cancel({ id: replay.id });
    expect(await webhookEndpoints.delete({ id })).toBeUndefined();
  });

  it('makes offers', async () => {
    const client = noted();
    const { domain } = await givenListing(app.runtime, { offersAccepted: true });
    const make = () => client.offers.create({ domain, amount_cents: 200_000, buyer: BUYER });
    const counter = (id: string) => counterOffer(app.runtime, null, id, 400_000);
    const { id } = await make();
    await counter(id);
    expect(await client.offers.counter({ id, amount_cents: 300_000 })).toMatchObject({
      status: 'OPEN',
    });
    await counter(id);
    expect(await client.offers.decline({ id })).toMatchObject({ status: 'DECLINED' });
    const other = await make();
    await counter(other.id);
    const accepted = await client.offers.accept({ id: other.id });
    expect(accepted).toMatchObject({ status: 'ACCEPTED', price_cents: 400_000 });
    expect((await client.offers.get({ id: other.id })).price_cents).toBe(400_000);
    expect((await client.offers.list({ status: 'ACCEPTED' })).offers).toHaveLength(1);
    const order = await client.orders.create({
      quote_id: String(accepted.quote_id),
      buyer: BUYER,
    });
    expect(order.sale_price_cents).toBe(400_000);
  });

  it('moves the clock of the sandbox', async () => {
    const client = noted();
    const { now, status } = await client.sandboxClocks.get();
    expect(status).toBe('ready');
    const to = new Date(Date.parse(now) + 3_600_000).toISOString();
    expect(await client.sandboxClocks.advance({ to })).toMatchObject({
      status: 'advancing',
      advancing_to: to,
    });
  });

  it('has now called every one of them', () => {
    const all = Object.entries(OPERATIONS).flatMap(([resource, verbs]) =>
      Object.keys(verbs).map((verb) => `${resource}.${verb}`),
    );
    expect([...everyCall].sort()).toEqual(all.sort());
  });

  it('turns the pages: every item once, in the order of the list', async () => {
    const fresh = await app.partner();
    const client = sdkClient(app, fresh);
    const recorded: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const { domain, priceCents } = await givenListing(app.runtime);
      const sale = { domain, expected_price: priceCents, buyer: BUYER };
      recorded.push((await client.orders.create(sale)).public_id);
    }
    const listed: string[] = [];
    for await (const { public_id } of client.orders.list.all({ limit: 2 })) listed.push(public_id);
    expect(listed).toEqual([...recorded].reverse());
    const sizes: number[] = [];
    for await (const { orders } of client.orders.list.pages({ limit: 2 }))
      sizes.push(orders.length);
    expect(sizes).toEqual([2, 2, 1]);
    const told: string[] = [];
    for await (const event of client.events.list.all({ limit: 2 })) {
      if (event.type === 'order.recorded') told.push(event.data.order.public_id);
    }
    expect(told).toEqual(recorded);
  });

  it('asks for no page that the loop does not need', async () => {
    const attempts: string[] = [];
    const client = sdkClient(app, partner, { onAttempt: ({ path }) => attempts.push(path) });
    for await (const _ of client.orders.list.all({ limit: 1 })) break;
    expect(attempts).toHaveLength(1);
  });

  it('answers the same order for the same key, and says that it was replayed', async () => {
    const replays: boolean[] = [];
    const client = sdkClient(app, partner, { onAttempt: ({ replayed }) => replays.push(replayed) });
    const { domain, priceCents } = await givenListing(app.runtime);
    const sale = { domain, expected_price: priceCents, buyer: BUYER };
    const order = await client.orders.create(sale, { idempotencyKey: 'sale-1001' });
    expect(await client.orders.create(sale, { idempotencyKey: 'sale-1001' })).toEqual(order);
    expect(replays).toEqual([false, true]);
  });

  it('throws refusals by their family, with code, details and the request to ask about', async () => {
    const client = sdkClient(app, partner);
    const { domain } = await givenListing(app.runtime);
    const sale = { domain, expected_price: 1, buyer: BUYER };
    const mismatch = await client.orders.create(sale).catch((error: unknown) => error);
    expect(mismatch).toBeInstanceOf(UnprocessableError);
    expect(mismatch).toMatchObject({
      name: 'UnprocessableError',
      status: 422,
      code: 'price_mismatch',
      details: { sale_price_cents: 485_000, currency: 'USD' },
      requestId: expect.stringMatching(/^req_/),
    });
    await expect(client.orders.get({ public_id: 'ord_x/../y' })).rejects.toBeInstanceOf(
      NotFoundError,
    );
    const other = await app.partner();
    await sdkClient(app, other).quotes.create({ domain });
    const held = await client.quotes.create({ domain }).catch((error: unknown) => error);
    expect(held).toBeInstanceOf(ConflictError);
    expect((held as ConflictError).reason).toBe('domain_reserved');
    const bad = { domain, expected_price: 485_000, buyer: { email: 'nobody' } };
    await expect(client.orders.create(bad)).rejects.toMatchObject({
      code: 'validation_error',
      faults: [{ path: '/buyer/email' }],
    });
  });
});
