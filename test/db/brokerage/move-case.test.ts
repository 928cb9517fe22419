import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addListing, delistListing } from '../../../shared/market/inventory/change-listings.ts';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { Money } from '../../../shared/platform/money.ts';
import {
  CASE_MOVES,
  CASE_STATUSES,
  type CaseStatus,
} from '../../../shared/sales/brokerage/brokerage-case.ts';
import {
  cancelCase,
  moveCase,
  raiseBudget,
} from '../../../shared/sales/brokerage/case-lifecycle.ts';
import { getCase } from '../../../shared/sales/brokerage/read-cases.ts';
import { bringTo, givenCase, moveToDomain } from '../../support/brokerage.ts';
import { givenListing, givenPartner, type PartnerFixture } from '../../support/factories.ts';
import { deliver } from '../../support/referrals.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { givenQuote, recordSale } from '../../support/sales.ts';
import { takeBack } from '../../support/take-back.ts';

let runtime: TestRuntime;
let partner: PartnerFixture;

beforeAll(async () => {
  runtime = await createTestRuntime();
});
beforeEach(async () => {
  partner = await givenPartner(runtime, { commissionBps: 1_250 });
});
afterAll(() => runtime.stop());

const move = (caseId: string, to: CaseStatus, more: object = {}) =>
  runtime.db.transact((uow) => moveCase(uow, runtime, { caseId, to, by: 'ops', ...more }));

/** Another partner sells a listed domain. */
async function buy(domain: string) {
  return recordSale(runtime, await givenPartner(runtime), { domain });
}

/** The types and the cases of a partner's events, oldest first. */
async function eventsOf(partnerId: string) {
  const rows = await runtime.db.knex('events').where({ partner_id: partnerId }).orderBy('position');
  return rows.map((row) => ({ type: row.type, data: JSON.parse(row.body).data }));
}

describe('moving a brokerage case', () => {
  it('emits brokerage.case_updated for every move, with null deal fields', async () => {
    const { id, domain } = await givenCase(runtime, partner);
    await move(id, 'CONTACTING_OWNER');
    await move(id, 'NEGOTIATING', { offerCents: 300_000 });
    await move(id, 'NEGOTIATING', { offerCents: 350_000 });
    await move(id, 'CLOSED_NO_DEAL');
    const told = await eventsOf(partner.partnerId);
    expect(told).toEqual(
      ['CONTACTING_OWNER', 'NEGOTIATING', 'NEGOTIATING', 'CLOSED_NO_DEAL'].map((status) => ({
        type: 'brokerage.case_updated',
        data: {
          case: {
            case_id: id,
            domain,
            tier: 'self_serve',
            status,
            deal_price_cents: null,
            commission_cents: null,
            currency: 'USD',
            order_id: null,
          },
        },
      })),
    );
    const { found, timeline } = await getCase(runtime, partner, id);
    expect(found).toMatchObject({
      latestOffer: new Money(350_000, 'USD'),
      status: 'CLOSED_NO_DEAL',
    });
    expect(found.closedAt).toEqual(timeline.at(-1)?.at);
    expect(timeline.map(({ amount }) => amount?.amount ?? null)).toEqual([
      500_000,
      null,
      300_000,
      350_000,
      null,
    ]);
  });

  it('allows only the moves in CASE_MOVES and names both statuses in the error', async () => {
    for (const from of CASE_STATUSES) {
      for (const to of CASE_STATUSES) {
        const { id } = await givenCase(runtime, partner);
        await bringTo(runtime, id, from);
        const moves: readonly { from: readonly CaseStatus[]; to: CaseStatus }[] =
          Object.values(CASE_MOVES);
        const allowed = moves.some((each) => each.to === to && each.from.includes(from));
        const attempt = move(id, to, to === 'COMPLETED' ? { dealPriceCents: 1_000 } : {});
        if (allowed) expect((await attempt).status).toBe(to);
        else {
          await expect(attempt).rejects.toMatchObject({
            code: 'conflict',
            details: { reason: 'invalid_state' },
            message: expect.stringContaining(`${from} and cannot become ${to}`),
          });
        }
      }
    }
  });

  it('requires a deal price for COMPLETED and refuses one for any other status', async () => {
    const { id } = await givenCase(runtime, partner);
    await expect(move(id, 'CONTACTING_OWNER', { dealPriceCents: 5 })).rejects.toMatchObject({
      code: 'validation_error',
    });
    await bringTo(runtime, id, 'AGREED');
    await expect(move(id, 'COMPLETED')).rejects.toMatchObject({
      code: 'validation_error',
      details: [{ path: '/deal_price_cents', message: 'is required for COMPLETED' }],
    });
  });

  it('returns not_found for an unknown case', async () => {
    await expect(move('brk_none', 'CANCELLED')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('completing a brokerage case', () => {
  it('records the paid order, commission, ledger entry, and both events in one step', async () => {
    const opened = await givenCase(runtime, partner);
    await bringTo(runtime, opened.id, 'AGREED');
    const done = await move(opened.id, 'COMPLETED', { dealPriceCents: 399_999 });
    expect(done).toMatchObject({
      dealPrice: new Money(399_999, 'USD'),
      commission: new Money(50_000, 'USD'),
    });

    const orders = await runtime.db.knex('orders').where({ partner_id: partner.partnerId });
    expect(orders).toEqual([
      expect.objectContaining({
        id: done.orderId,
        domain: opened.domain,
        listing_id: expect.any(Number),
        brokerage_case_id: opened.id,
        status: 'PAID',
        payment_model: 'brokerage',
        sale_price_cents: 399_999,
        commission_cents: 50_000,
        amount_owed_cents: 0,
        buyer_email: 'buyer@example.com',
      }),
    ]);
    const postings = await runtime.db
      .knex('ledger_postings')
      .where({ partner_id: partner.partnerId })
      .select('account', 'amount_cents');
    const amounts = Object.fromEntries(postings.map((row) => [row.account, row.amount_cents]));
    expect(amounts).toEqual({
      cash: 399_999,
      partner_payable: -50_000,
      partner_commission: 50_000,
      sales: -399_999,
    });
    const told = (await eventsOf(partner.partnerId)).slice(-2);
    expect(told.map(({ type }) => type)).toEqual(['order.recorded', 'brokerage.case_completed']);
    expect(told[1]?.data).toEqual({
      case: {
        case_id: opened.id,
        domain: opened.domain,
        tier: 'self_serve',
        status: 'COMPLETED',
        deal_price_cents: 399_999,
        commission_cents: 50_000,
        currency: 'USD',
        order_id: done.orderId,
      },
    });
    expect((await checkLedger(runtime)).ok).toBe(true);
  });

  it('creates one order for repeated and concurrent requests', async () => {
    const { id } = await givenCase(runtime, partner);
    await bringTo(runtime, id, 'AGREED');
    const attempts = await Promise.allSettled(
      Array.from({ length: 5 }, () => move(id, 'COMPLETED', { dealPriceCents: 200_000 })),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(move(id, 'COMPLETED', { dealPriceCents: 200_000 })).rejects.toMatchObject({
      details: { reason: 'invalid_state' },
    });
    const orders = await runtime.db.knex('orders').where({ brokerage_case_id: id });
    expect(orders).toHaveLength(1);
  });

  it('rolls back everything when the transaction fails', async () => {
    const { id } = await givenCase(runtime, partner);
    await bringTo(runtime, id, 'AGREED');
    const before = await eventsOf(partner.partnerId);
    await expect(
      runtime.db.transact(async (uow) => {
        await moveCase(uow, runtime, { caseId: id, to: 'COMPLETED', by: 'ops', dealPriceCents: 9 });
        throw new Error('the last straw');
      }),
    ).rejects.toThrow('the last straw');
    expect((await getCase(runtime, partner, id)).found.status).toBe('AGREED');
    expect(await runtime.db.knex('orders').where({ brokerage_case_id: id })).toEqual([]);
    expect(await eventsOf(partner.partnerId)).toEqual(before);
  });

  it('marks the listing sold when the domain was listed after the case was opened', async () => {
    const { id, domain } = await givenCase(runtime, partner);
    await bringTo(runtime, id, 'AGREED');
    const listing = await givenListing(runtime, { domain });
    await move(id, 'COMPLETED', { dealPriceCents: 100_000 });
    const row = await runtime.db.knex('listings').where({ id: listing.id }).first();
    expect(row.status).toBe('sold');
    const order = await runtime.db.knex('orders').where({ brokerage_case_id: id }).first();
    expect(order.listing_id).toBe(listing.id);
  });

  it('refuses a domain that another buyer bought here until that order is refunded', async () => {
    const { id, domain } = await givenCase(runtime, partner);
    await bringTo(runtime, id, 'AGREED');
    await givenListing(runtime, { domain });
    const order = await buy(domain);
    const deal = () => move(id, 'COMPLETED', { dealPriceCents: 100_000 });
    await expect(deal()).rejects.toMatchObject({ details: { reason: 'domain_sold' } });
    expect(await runtime.db.knex('orders').where({ domain }).select('id')).toEqual([
      { id: order.id },
    ]);
    await takeBack(runtime, order.id, 'refund');
    expect((await deal()).status).toBe('COMPLETED');
  });

  it('refuses a domain reserved by an open quote, even if it was delisted since', async () => {
    const { id, domain } = await givenCase(runtime, partner);
    await bringTo(runtime, id, 'AGREED');
    await givenListing(runtime, { domain });
    const seller = await givenPartner(runtime);
    const { sent } = await givenQuote(runtime, seller, domain);
    await delistListing(runtime, { environment: 'SANDBOX', domain });
    await expect(move(id, 'COMPLETED', { dealPriceCents: 100_000 })).rejects.toMatchObject({
      details: { reason: 'domain_reserved' },
    });
    const order = await recordSale(runtime, seller, { quote: sent });
    expect(order.domain).toBe(domain);
  });

  it('blocks relisting and other deals for the domain until the order is taken back', async () => {
    const { id, domain } = await givenCase(runtime, partner);
    const { orderId } = (await bringTo(runtime, id, 'COMPLETED')) ?? {};
    const list = () => addListing(runtime, { environment: 'SANDBOX', domain, priceCents: 100_000 });
    await expect(list()).rejects.toMatchObject({ details: { reason: 'domain_sold' } });
    runtime.clock.advance(1_000);
    const next = await givenCase(runtime, await givenPartner(runtime));
    await moveToDomain(runtime, next.id, domain);
    await bringTo(runtime, next.id, 'AGREED');
    const deal = () => move(next.id, 'COMPLETED', { dealPriceCents: 100_000 });
    await expect(deal()).rejects.toMatchObject({
      details: { reason: 'domain_sold' },
      message: `${domain} has been sold.`,
    });
    await takeBack(runtime, orderId ?? '', 'refund');
    const row = await runtime.db.knex('listings').where({ domain }).first();
    expect(row.status).toBe('delisted');
    expect((await list()).status).toBe('listed');
    expect((await deal()).status).toBe('COMPLETED');
    await expect(list()).rejects.toMatchObject({ details: { reason: 'domain_sold' } });
  });

  it('also blocks relisting when the domain was listed and delisted before the case', async () => {
    const { domain } = await givenListing(runtime);
    await delistListing(runtime, { environment: 'SANDBOX', domain });
    const { id } = await givenCase(runtime, partner, { domain });
    const { orderId } = (await bringTo(runtime, id, 'COMPLETED')) ?? {};
    const list = () => addListing(runtime, { environment: 'SANDBOX', domain, priceCents: 100_000 });
    await expect(list()).rejects.toMatchObject({ details: { reason: 'domain_sold' } });
    await takeBack(runtime, orderId ?? '', 'refund');
    expect((await runtime.db.knex('listings').where({ domain }).first()).status).toBe('delisted');
  });

  it('sells the domain only once when it is listed at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, domain } = await givenCase(runtime, partner);
      await bringTo(runtime, id, 'AGREED');
      const [deal] = await Promise.allSettled([
        move(id, 'COMPLETED', { dealPriceCents: 100_000 }),
        addListing(runtime, { environment: 'SANDBOX', domain, priceCents: 100_000 }),
      ]);
      expect(deal.status).toBe('fulfilled');
      const row = await runtime.db.knex('listings').where({ domain }).first();
      expect(row.status).toBe('sold');
      await expect(buy(domain)).rejects.toMatchObject({ details: { reason: 'domain_sold' } });
    }
  });

  it('allows reselling a domain bought and delivered here before the case was opened', async () => {
    const { domain } = await givenListing(runtime);
    await deliver(runtime, (await buy(domain)).id);
    runtime.clock.advance(1_000);
    const { id } = await givenCase(runtime, partner, { domain });
    await bringTo(runtime, id, 'COMPLETED');
    expect(await runtime.db.knex('orders').where({ domain })).toHaveLength(2);
  });
});

describe('random concurrent steps by ops and the buyer', () => {
  it('keep constraints intact, create one order per deal, and balance the ledger', async () => {
    const step = fc.oneof(
      fc.constantFrom(...CASE_STATUSES).map((to) => ({ kind: 'move' as const, to })),
      fc
        .integer({ min: 400_000, max: 900_000 })
        .map((cents) => ({ kind: 'raise' as const, cents })),
      fc.constant({ kind: 'cancel' as const }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { id } = await givenCase(runtime, partner);
        await Promise.allSettled(
          steps.map((each) => {
            if (each.kind === 'raise') return raiseBudget(runtime, id, each.cents);
            if (each.kind === 'cancel') return cancelCase(runtime, id);
            return move(id, each.to, each.to === 'COMPLETED' ? { dealPriceCents: 400_000 } : {});
          }),
        );
        const { found, timeline } = await getCase(runtime, partner, id);
        expect(timeline.at(-1)?.status).toBe(found.status);
        const orders = await runtime.db.knex('orders').where({ brokerage_case_id: id });
        expect(orders.length).toBe(found.status === 'COMPLETED' ? 1 : 0);
      }),
      { numRuns: 15 },
    );
    expect((await checkLedger(runtime)).ok).toBe(true);
  });
});
