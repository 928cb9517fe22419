import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { giveBoughtDomain } from '../../../shared/domains/owned-domains/give-bought-domain.ts';
import { readOwnedDomain } from '../../../shared/domains/owned-domains/manage-owned-domains.ts';
import { addListing } from '../../../shared/market/inventory/change-listings.ts';
import { searchListings } from '../../../shared/market/search/search-listings.ts';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { HOUR } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { Money } from '../../../shared/platform/money.ts';
import { moveCase } from '../../../shared/sales/brokerage/case-lifecycle.ts';
import { openCaseSession } from '../../../shared/sales/checkout/case-session.ts';
import { createSession } from '../../../shared/sales/checkout/checkout-lifecycle.ts';
import type { CheckoutSession } from '../../../shared/sales/checkout/checkout-session.ts';
import { readSessionForPage } from '../../../shared/sales/checkout/read-checkout-session.ts';
import {
  acceptOffer,
  expireOffers,
  makeOffer,
  setOfferFloor,
} from '../../../shared/sales/offers/offer-lifecycle.ts';
import type { Order } from '../../../shared/sales/orders/order.ts';
import { relistDomain } from '../../../shared/sales/refunds/relist-domain.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { givenAgreedCase, moveToDomain } from '../../support/brokerage.ts';
import { finished, givenBulkJob, givenOwnerOf, itemsNow, type Owner } from '../../support/bulk.ts';
import { eventually } from '../../support/eventually.ts';
import { givenListing, givenPartner, type PartnerFixture } from '../../support/factories.ts';
import { givenPayment, ordersOf, payFor, paymentsOf } from '../../support/payments.ts';
import { deliver } from '../../support/referrals.ts';
import type { Runtime } from '../../support/runtime.ts';
import { givenQuote, recordSale } from '../../support/sales.ts';
import { type StripeApp, startStripeApp } from '../../support/stripe-app.ts';
import { takeBack } from '../../support/take-back.ts';

const ENVIRONMENT = 'LIVE';
const PRICE = 485_000;
const RESALE = 990_000;
const RETURNED =
  'Its purchase was refunded, so it is no longer yours. You can no longer change it.';

let app: StripeApp;
let runtime: Runtime;
let fleet: WorkerProcess;
let partner: PartnerFixture;
beforeAll(async () => {
  app = await startStripeApp();
  ({ runtime } = app);
  fleet = startWorkers(runtime, { queues: ['bulk-domains'] });
  partner = await givenPartner(runtime, { environment: ENVIRONMENT });
});
afterAll(async () => {
  await fleet.stop();
  await app.stop();
});

const buy = (domain: string, priceCents: number) =>
  recordSale(runtime, partner, { domain, expectedPriceCents: priceCents });
const later = () => app.runtime.clock.advance(1_000);

/** Delivers an order to a new account. */
async function claim(order: Order): Promise<Owner> {
  await deliver(runtime, order.id);
  const owner = await givenOwnerOf(runtime, 0);
  const [facts] = await runtime.registrars(ENVIRONMENT).inspect([order.domain]);
  if (!facts) throw new Error(`the registrar does not hold ${order.domain}`);
  await runtime.db.transact((uow) =>
    giveBoughtDomain(uow, { orderId: order.id, userId: owner.userId, facts }),
  );
  later();
  return { ...owner, domains: [order.domain] };
}

/** Sells a new listing and delivers it to a new owner. */
async function givenPurchase() {
  const { domain } = await givenListing(runtime, { environment: ENVIRONMENT });
  const order = await buy(domain, PRICE);
  return { domain, order, owner: await claim(order) };
}

async function list(owner: Owner, params: { price_cents: number } & object) {
  const job = await givenBulkJob(runtime, owner, { op: 'list', params });
  await finished(runtime, job);
  later();
  return (await itemsNow(runtime, job))[0];
}

/** Sells a new listing, delivers it, and has its owner put it up for sale again. */
async function givenResale(more: object = {}) {
  const purchase = await givenPurchase();
  const listed = await list(purchase.owner, { price_cents: RESALE, ...more });
  expect(listed).toMatchObject({ state: 'ok' });
  return purchase;
}

const listingOf = (domain: string) =>
  runtime.db.knex('listings').where({ environment: ENVIRONMENT, domain }).first();
const statusOf = async (domain: string) => (await listingOf(domain)).status;
const ownerOf = (domain: string) => runtime.db.knex('owned_domains').where({ domain }).first();
const liveOrders = (domain: string) =>
  runtime.db
    .knex('orders')
    .where({ domain })
    .whereNotIn('status', ['REFUNDED', 'CANCELLED'])
    .orderBy('id');
const run = async (owner: Owner, op: 'unlist' | 'lock') => {
  const params = op === 'lock' ? { enabled: true } : {};
  const job = await givenBulkJob(runtime, owner, { op, params } as never);
  await finished(runtime, job);
  return (await itemsNow(runtime, job))[0];
};
/** Resolves when so many transactions wait for a lock. */
const untilWaiting = (count: number) =>
  eventually(
    async () => {
      const { rows } = await runtime.db.knex.raw(
        `select count(*)::int as waiting from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows[0].waiting;
    },
    (waiting) => waiting >= count,
    { everyMs: 5 },
  );
/** Opens a case about a domain, with an agreed price. */
async function givenAgreed(domain: string): Promise<string> {
  const { id: caseId } = await givenAgreedCase(runtime, partner, 'USD');
  await moveToDomain(runtime, caseId, domain);
  later();
  return caseId;
}
/** Opens the payment page of a deal about a domain. */
async function givenPayable(domain: string) {
  const { knex } = runtime.db;
  const caseId = await givenAgreed(domain);
  await knex('brokerage_cases').where({ id: caseId }).update({ latest_offer_cents: 400_000 });
  await openCaseSession(runtime, caseId, 'https://shop.example/case');
  const [session] = await knex('checkout_sessions').where({ brokerage_case_id: caseId });
  const price = new Money(session.price_cents, session.currency);
  return { caseId, session: { ...session, price } as CheckoutSession };
}
/** Disputes the payment of a domain's owner; the result ends the dispute. */
async function dispute(domain: string) {
  const { knex } = runtime.db;
  const { bought_with: order_id } = await ownerOf(domain);
  const id = `dsp_${order_id}`;
  const payment = await givenPayment(runtime, {
    partnerId: partner.partnerId,
    environment: ENVIRONMENT,
  });
  const at = runtime.clock.now();
  await knex('payment_disputes').insert({
    ...{ id, payment_id: payment.id, partner_id: partner.partnerId, environment: ENVIRONMENT },
    ...{ order_id, provider_reference: id, status: 'needs_response', reason: 'fraudulent' },
    ...{ amount_cents: PRICE, currency: 'USD', opened_at: at, updated_at: at },
  });
  return () => knex('payment_disputes').where({ id }).update({ status: 'won', closed_at: at });
}
/** Gives an owner the authorization code of their domain; the result takes it back. */
async function issueCode({ userId }: Owner, domain: string) {
  const { knex } = runtime.db;
  const at = runtime.clock.now();
  const id = newId('transferOut', at);
  const dates = { since: at, issued_at: at, created_at: at };
  await knex('transfers_out').insert({
    ...{ id, domain, user_id: userId, status: 'code_issued', issue: 1 },
    ...dates,
  });
  return () => knex('transfers_out').where({ id }).update({ status: 'stopped', ended_at: at });
}
const complete = (caseId: string) =>
  runtime.db.transact((uow) =>
    moveCase(uow, runtime, { caseId, to: 'COMPLETED', by: 'ops', dealPriceCents: 400_000 }),
  );
const ledger = async () => expect(await checkLedger(runtime)).toMatchObject({ ok: true });

describe('a domain that was bought here and delivered', () => {
  it('is sold again at its owner’s price, delivered to the next buyer, and again after that', async () => {
    const { domain, order, owner } = await givenPurchase();
    await runtime.db
      .knex('listings')
      .where({ domain })
      .update({ description: 'Of the former owner', category: 'Business', keywords: ['deck'] });
    const terms = { price_cents: RESALE, floor_price_cents: 800_000, offers_accepted: true };
    expect(await list(owner, terms)).toMatchObject({ state: 'ok' });
    expect(await listingOf(domain)).toMatchObject({
      status: 'listed',
      ...terms,
      sale_number: 2,
      description: null,
      category: 'Business',
      keywords: ['deck'],
    });
    await expect(buy(domain, PRICE)).rejects.toMatchObject({ code: 'price_mismatch' });
    const second = await buy(domain, RESALE);
    expect(second).toMatchObject({ listingId: order.listingId, saleNumber: 2 });
    await expect(buy(domain, RESALE)).rejects.toMatchObject({ details: { reason: 'domain_sold' } });
    // Until it is delivered, its owner can neither change it nor list it again.
    for (const refused of [await run(owner, 'lock'), await list(owner, { price_cents: 1 })]) {
      expect(refused).toMatchObject({
        code: 'conflict',
        message: 'This domain is sold. You can no longer change it.',
      });
    }
    const next = await claim(second);
    expect(await ownerOf(domain)).toMatchObject({ user_id: next.userId, bought_with: second.id });
    expect(await list(owner, terms)).toMatchObject({ code: 'forbidden' });
    expect(await run(next, 'lock')).toMatchObject({ state: 'ok' });
    expect(await list(next, { price_cents: 1_200_000 })).toMatchObject({ state: 'ok' });
    const third = await buy(domain, 1_200_000);
    expect(third.saleNumber).toBe(3);
    expect((await liveOrders(domain)).map(({ status }) => status)).toEqual([
      'TRANSFER_COMPLETED',
      'TRANSFER_COMPLETED',
      'EXTERNALLY_PAID',
    ]);
    const sales = await runtime.db
      .knex('ledger_entries')
      .whereIn('order_id', [order.id, second.id, third.id]);
    expect(sales.map(({ kind }) => kind)).toEqual(['sale', 'sale', 'sale']);
    await ledger();
  });

  it('is found in search at its new price, and not after it is withdrawn', async () => {
    const { domain, owner } = await givenResale();
    const [label = ''] = domain.split('.');
    const found = async () => {
      const results = await searchListings(runtime, { environment: ENVIRONMENT, query: label });
      return results.filter((each) => each.domain === domain);
    };
    expect(await found()).toMatchObject([{ priceCents: RESALE }]);
    expect(await run(owner, 'unlist')).toMatchObject({ state: 'ok' });
    expect(await found()).toEqual([]);
    expect(await list(owner, { price_cents: RESALE })).toMatchObject({ state: 'ok' });
    expect(await listingOf(domain)).toMatchObject({ status: 'listed', sale_number: 2 });
  });

  it('is not listed before its delivery, or by somebody who does not own it', async () => {
    const { domain } = await givenListing(runtime, { environment: ENVIRONMENT });
    const seller = await givenOwnerOf(runtime, [domain]);
    const order = await buy(domain, PRICE);
    expect(await list(seller, { price_cents: 1 })).toMatchObject({ code: 'conflict' });
    await claim(order);
    expect(await list(seller, { price_cents: 1 })).toMatchObject({ code: 'forbidden' });
    expect(await statusOf(domain)).toBe('sold');
  });

  it('returns to its owner and the market if the second sale is refunded before delivery', async () => {
    const { domain, order, owner } = await givenResale();
    const second = await buy(domain, RESALE);
    expect(await takeBack(runtime, second.id)).toBe(true);
    expect(await listingOf(domain)).toMatchObject({ status: 'listed', price_cents: RESALE });
    expect(await ownerOf(domain)).toMatchObject({ user_id: owner.userId, bought_with: order.id });
    expect((await liveOrders(domain)).map(({ id }) => id)).toEqual([order.id]);
    expect((await buy(domain, RESALE)).saleNumber).toBe(2);
    await ledger();
  });

  it('is relisted by staff after a second sale that left, whatever became of the first', async () => {
    const { domain } = await givenResale();
    const second = await buy(domain, RESALE);
    const refunded = await claim(second);
    const relist = (returned: boolean) =>
      relistDomain(runtime, { environment: ENVIRONMENT, domain, returned });
    await expect(relist(true)).rejects.toMatchObject({ details: { reason: 'domain_sold' } });
    await takeBack(runtime, second.id);
    await expect(relist(false)).rejects.toThrow(second.id);
    expect(await relist(true)).toMatchObject({ status: 'listed', saleNumber: 2 });
    // Whoever was refunded does not own what the next buyer pays for.
    await buy(domain, RESALE);
    expect(await run(refunded, 'lock')).toMatchObject({ message: RETURNED });
  });

  it('sold again has nothing of the first sale: its payment pages, its offers, its private floor', async () => {
    const offers = { offers_accepted: true };
    const { domain } = await givenListing(runtime, {
      environment: ENVIRONMENT,
      offersAccepted: true,
    });
    const nowhere = { returnUrl: null, cancelUrl: null, buyerEmail: null, clientReference: null };
    const caller = { ...partner, commissionBps: 1_500 };
    const { session } = await createSession(runtime, caller, { ...nowhere, domain, quote: null });
    const wanted = { domain, buyer: { email: 'first@example.com', name: null, country: null } };
    const offer = await makeOffer(runtime, partner, { ...wanted, amountCents: 300_000 });
    const key = { environment: ENVIRONMENT, domain } as const;
    await runtime.db.transact((uow) => setOfferFloor(uow, key, 310_000));
    const owner = await claim(await buy(domain, PRICE));
    expect(await list(owner, { price_cents: RESALE, ...offers })).toMatchObject({ state: 'ok' });
    const page = await readSessionForPage(runtime, session.id, null);
    expect(page.listing.status).toBe('sold');
    expect(await payFor(runtime, session, null)).toEqual({ kind: 'sold' });
    await expect(acceptOffer(runtime, null, offer.id)).rejects.toMatchObject({
      details: { reason: 'domain_sold' },
    });
    await expireOffers(runtime, 100);
    const ended = await runtime.db.knex('offers').where({ id: offer.id }).first();
    expect(ended.status).toBe('EXPIRED');
    const next = { ...wanted, buyer: { ...wanted.buyer, email: 'next@example.com' } };
    const made = await makeOffer(runtime, partner, { ...next, amountCents: 400_000 });
    expect(made.status).toBe('OPEN');
    expect((await acceptOffer(runtime, null, made.id)).price?.amount).toBe(400_000);
  });

  it('is not bought at the old price by a payment of the first sale that comes too late', async () => {
    const { session, page } = await app.givenBuyerAtStripe();
    const { domain } = session;
    app.runtime.clock.advance(2 * HOUR);
    const owner = await claim(await buy(domain, PRICE));
    expect(await list(owner, { price_cents: RESALE })).toMatchObject({ state: 'ok' });
    await app.tell('checkout.session.completed', app.stripe.pay(page));
    expect(await ordersOf(runtime, session)).toEqual([]);
    expect(await statusOf(domain)).toBe('listed');
    const payments = await runtime.db.knex('payments').where({ checkout_session_id: session.id });
    expect(payments).toMatchObject([{ status: 'refund_pending' }]);
  });
});

describe('a domain that is up for sale again while its purchase', () => {
  it('is refunded leaves the market, and stays off it', async () => {
    const { domain, order, owner } = await givenResale();
    const { sent } = await givenQuote(runtime, partner, domain);
    await takeBack(runtime, order.id);
    expect(await statusOf(domain)).toBe('delisted');
    expect(await list(owner, { price_cents: RESALE })).toMatchObject({
      code: 'conflict',
      message: RETURNED,
    });
    // A quote that was out is honored. If that sale is undone, the domain does not return to the market.
    const second = await recordSale(runtime, partner, { quote: sent });
    await takeBack(runtime, second.id);
    expect(await statusOf(domain)).toBe('delisted');
    await ledger();
  });

  it('is refunded after the second sale is delivered to the second buyer all the same', async () => {
    const { domain, order } = await givenResale();
    const second = await buy(domain, RESALE);
    await takeBack(runtime, order.id);
    expect(await statusOf(domain)).toBe('sold');
    const next = await claim(second);
    expect(await ownerOf(domain)).toMatchObject({ user_id: next.userId });
    expect(await list(next, { price_cents: RESALE })).toMatchObject({ state: 'ok' });
    await ledger();
  });

  it('is disputed leaves the market until the dispute is won', async () => {
    const { session, page, orderId } = await app.givenPaidOrder();
    const { domain } = session;
    const [order] = await ordersOf(runtime, session);
    const owner = await claim({ ...(order as object), id: orderId, domain } as Order);
    expect(await list(owner, { price_cents: RESALE })).toMatchObject({ state: 'ok' });
    const dispute = app.stripe.dispute(page);
    await app.tell('charge.dispute.created', dispute);
    expect(await statusOf(domain)).toBe('delisted');
    expect(await list(owner, { price_cents: RESALE })).toMatchObject({
      code: 'conflict',
      message: 'Its payment is disputed, so it cannot be sold here until the dispute ends.',
    });
    await app.tell('charge.dispute.closed', { ...dispute, status: 'won' });
    expect(await list(owner, { price_cents: RESALE })).toMatchObject({ state: 'ok' });
    const again = app.stripe.dispute(page);
    await app.tell('charge.dispute.created', again);
    await app.tell('charge.dispute.closed', { ...again, status: 'lost' });
    expect(await statusOf(domain)).toBe('delisted');
  });

  it.each([
    ['the listing', true],
    ['the refund', false],
  ])(
    'is refunded at the same moment does not stay on the market, if %s comes first',
    async (_, listedFirst) => {
      const { domain, order, owner } = await givenPurchase();
      const steps = [() => list(owner, { price_cents: RESALE }), () => takeBack(runtime, order.id)];
      // Both wait for the listing, in this order.
      const under = await runtime.db.knex.transaction(async (tx) => {
        await tx('listings').where({ domain }).forUpdate().select('id');
        const begun: Promise<unknown>[] = [];
        for (const step of listedFirst ? steps : steps.reverse()) {
          begun.push(step());
          await untilWaiting(begun.length);
        }
        return { begun };
      });
      await Promise.all(under.begun);
      const { status, sale_number } = await listingOf(domain);
      expect([status, sale_number]).toEqual(listedFirst ? ['delisted', 2] : ['sold', 1]);
    },
  );
});

describe('buyers of a domain that is up for sale again', () => {
  it('race, and one of them gets it', async () => {
    const { domain, owner } = await givenResale();
    const buyers = await Promise.allSettled(
      Array.from({ length: 8 }, () => buy(domain, RESALE)).concat(
        list(owner, { price_cents: RESALE }) as never,
      ),
    );
    const won = buyers.slice(0, 8).filter(({ status }) => status === 'fulfilled');
    expect(won).toHaveLength(1);
    expect(await liveOrders(domain)).toHaveLength(2);
    expect(await statusOf(domain)).toBe('sold');
  });

  it('are one with the buyer of a brokerage deal, which is the next sale of the domain', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { domain, owner } = await givenPurchase();
      const caseId = await givenAgreed(domain);
      await Promise.all([list(owner, { price_cents: RESALE }), complete(caseId)]);
      expect(await listingOf(domain)).toMatchObject({ status: 'sold', sale_number: 2 });
      const [, second] = await liveOrders(domain);
      expect(second).toMatchObject({ brokerage_case_id: caseId, sale_number: 2 });
      expect(await list(owner, { price_cents: RESALE })).toMatchObject({
        message: 'This domain is sold. You can no longer change it.',
      });
      await takeBack(runtime, second.id);
      expect(await list(owner, { price_cents: RESALE })).toMatchObject({ state: 'ok' });
      expect(await listingOf(domain)).toMatchObject({ status: 'listed', sale_number: 2 });
    }
    await ledger();
  });

  it('are none once a brokerage deal is undone: the domain stays sold to whom it was delivered', async () => {
    const { domain } = await givenListing(runtime, { environment: ENVIRONMENT });
    const seller = await givenOwnerOf(runtime, [domain]);
    // Delivered to another registrar, so it stays in its seller's list.
    await deliver(runtime, (await buy(domain, PRICE)).id);
    later();
    for (const undone of [1, 2]) {
      const { orderId } = await complete(await givenAgreed(domain));
      expect(await listingOf(domain)).toMatchObject({ status: 'sold', sale_number: 2 });
      await takeBack(runtime, orderId ?? '');
      expect([undone, await listingOf(domain)]).toMatchObject([
        undone,
        { status: 'sold', sale_number: 1 },
      ]);
    }
    expect(await list(seller, { price_cents: 1 })).toMatchObject({
      message: 'This domain is sold. You can no longer change it.',
    });
    const again = { environment: ENVIRONMENT, domain, priceCents: PRICE } as const;
    await expect(addListing(runtime, again)).rejects.toMatchObject({
      details: { reason: 'domain_sold' },
    });
    await ledger();
  });

  it.each([
    ['the payment of its owner is disputed', 'disputed'],
    ['its owner has its authorization code', 'code'],
  ] as const)(
    'cannot pay for a brokerage deal while %s, nor can staff complete it',
    async (_, why) => {
      const { domain, owner } = await givenPurchase();
      const end = why === 'disputed' ? await dispute(domain) : await issueCode(owner, domain);
      const { caseId, session } = await givenPayable(domain);
      expect(await payFor(runtime, session, null)).toEqual({ kind: 'sold' });
      await expect(complete(caseId)).rejects.toMatchObject({
        details: { reason: 'invalid_state' },
      });
      expect(await listingOf(domain)).toMatchObject({ status: 'sold', sale_number: 1 });
      await end();
      expect((await complete(caseId)).orderId).not.toBeNull();
      await ledger();
    },
  );

  it('get the domain of a deal that they were paying for when its owner’s payment was disputed', async () => {
    const { domain } = await givenPurchase();
    const { caseId, session } = await givenPayable(domain);
    await payFor(runtime, session, null);
    const [payment] = await paymentsOf(runtime, session);
    await dispute(domain);
    await app.tell('checkout.session.completed', app.stripe.pay(payment?.provider_reference ?? ''));
    const [order] = await ordersOf(runtime, session);
    expect(order).toMatchObject({ status: 'PAID' });
    expect(await runtime.db.knex('brokerage_cases').where({ id: caseId }).pluck('status')).toEqual([
      'COMPLETED',
    ]);
  });

  it('keep its owner from moving it while they pay for a brokerage deal', async () => {
    const { domain, owner } = await givenPurchase();
    const { session } = await givenPayable(domain);
    expect(await payFor(runtime, session, null)).toMatchObject({ kind: 'step' });
    const { buyerHoldUntil } = await readOwnedDomain(runtime, owner.userId, domain);
    expect(buyerHoldUntil).not.toBeNull();
  });
});
