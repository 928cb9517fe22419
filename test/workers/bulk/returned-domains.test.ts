import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { BulkAction } from '../../../shared/domains/bulk/bulk-operations.ts';
import { grantDomains } from '../../../shared/domains/domain-grants/grant-domains.ts';
import {
  findRegistrant,
  recordRegistered,
} from '../../../shared/domains/domain-registrants/registered-for.ts';
import {
  countOwnedDomains,
  readOwnedDomain,
} from '../../../shared/domains/owned-domains/manage-owned-domains.ts';
import { PURCHASE_FAULTS } from '../../../shared/domains/owned-domains/owned-domain.ts';
import { renewDueDomains } from '../../../shared/domains/owned-domains/renew-due-domains.ts';
import { listUnreadMessages } from '../../../shared/domains/registrar/unread-messages.ts';
import { recordTaken } from '../../../shared/domains/transfers-out/taken-domains.ts';
import { isOfEarlierSale } from '../../../shared/market/inventory/listing.ts';
import { readMail } from '../../../shared/messaging/mail/mail-settings.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { firstPage } from '../../../shared/platform/page.ts';
import { moveCase } from '../../../shared/sales/brokerage/case-lifecycle.ts';
import type { Order } from '../../../shared/sales/orders/order.ts';
import { relistDomain } from '../../../shared/sales/refunds/relist-domain.ts';
import { carryOutRenewal } from '../../../shared/sales/renewals/carry-out-renewal.ts';
import { openRenewal } from '../../../shared/sales/renewals/open-renewal.ts';
import { recordFetched } from '../../../shared/sales/transfers/deliver-domain.ts';
import { startTransfer } from '../../../shared/sales/transfers/start-transfer.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { givenAgreedCase, moveToDomain } from '../../support/brokerage.ts';
import { finished, givenBulkJob, givenOwnerOf, itemsNow, type Owner } from '../../support/bulk.ts';
import { givenListing, givenPartner } from '../../support/factories.ts';
import { card } from '../../support/payments.ts';
import { givenPurchaseOf } from '../../support/purchases.ts';
import { deliver } from '../../support/referrals.ts';
import { KEPT_REGISTRANT } from '../../support/registrants.ts';
import {
  changesOf,
  givenPrices,
  givenRenewal,
  payForRenewal,
  renewalNow,
} from '../../support/renewals.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { nameRegistrant, recordSale } from '../../support/sales.ts';
import { takeBack } from '../../support/take-back.ts';

const LIVE = 'LIVE';
const { signal } = new AbortController();

let runtime: TestRuntime;
let fleet: WorkerProcess;
let owner: Owner;
let domain: string;
let order: Order;
beforeAll(async () => {
  runtime = await createTestRuntime({ MAIL: 'on' });
  await givenPrices(runtime);
  fleet = startWorkers(runtime, { queues: ['bulk-domains'] });
});
beforeEach(async () => {
  owner = await givenOwnerOf(runtime, 1);
  [domain = ''] = owner.domains;
  order = await givenPurchaseOf(runtime, domain);
});
afterAll(async () => {
  await fleet.stop();
  await runtime.stop();
});

const run = async (action: BulkAction, of = owner) => {
  const job = await givenBulkJob(runtime, of, action, { domains: [domain] });
  await finished(runtime, job);
  return (await itemsNow(runtime, job))[0];
};
const listing = () => runtime.db.knex('listings').where({ environment: LIVE, domain }).first();
const ownerNow = () => runtime.db.knex('owned_domains').where({ domain }).first();
const owned = () => readOwnedDomain(runtime, owner.userId, domain);
const relist = () => relistDomain(runtime, { environment: LIVE, domain, returned: true });
const lastRefundMail = async () => {
  const sent = runtime.db.knex('mails').where({ kind: 'renewal-refunded' });
  return (await readMail(runtime, (await sent.orderBy('id', 'desc').first('id')).id)).data;
};
const LOCK: BulkAction = { op: 'lock', params: { enabled: true } };

describe('a domain whose purchase was refunded', () => {
  it('stays in its buyer’s account as returned, where nothing can be changed', async () => {
    expect(await run(LOCK)).toMatchObject({ state: 'ok' });
    await takeBack(runtime, order.id);
    await relist();
    const before = await listing();
    expect(before).toMatchObject({ status: 'listed' });
    const all: BulkAction[] = [
      { op: 'nameservers', params: { nameservers: ['ns1.example.net', 'ns2.example.net'] } },
      { op: 'dnssec', params: { signers: [] } },
      { op: 'lock', params: { enabled: false } },
      { op: 'auto_renew', params: { enabled: false } },
      { op: 'privacy', params: { enabled: false } },
      { op: 'renew', params: { years: 1 } },
      { op: 'list', params: { price_cents: 1 } },
      { op: 'price', params: { price_cents: 1 } },
      { op: 'unlist', params: {} },
      { op: 'tags', params: { add: ['mine'] } },
    ];
    for (const action of all) {
      expect([action.op, await run(action)]).toMatchObject([
        action.op,
        {
          code: 'conflict',
          message:
            'Its purchase was refunded, so it is no longer yours. You can no longer change it.',
        },
      ]);
    }
    expect(await listing()).toEqual(before);
    // The marketplace's offer is none of its former buyer's.
    expect(await owned()).toMatchObject({ purchaseFault: 'refunded', listing: null });
    expect(await countOwnedDomains(runtime, owner.userId)).toMatchObject({ total: 1, listed: 0 });
  });

  it('is not renewed by its buyer, and an unpaid renewal ends', async () => {
    const open = await givenRenewal(runtime, owner);
    await takeBack(runtime, order.id);
    expect(await renewalNow(runtime, open)).toMatchObject({ status: 'cancelled' });
    expect(await payForRenewal(runtime, open, card('4242424242424242'))).toEqual({ kind: 'over' });
    for (const kind of ['renewal', 'restore'] as const) {
      await expect(openRenewal(runtime, owner.userId, { domain, kind, years: 1 })).rejects.toThrow(
        'Its purchase was refunded',
      );
    }
  });

  it('cancels no renewal of somebody who owns it since', async () => {
    await takeBack(runtime, order.id);
    await relist();
    const next = await givenOwnerOf(runtime, 0);
    const sold = { domain, expectedPriceCents: order.price.amount };
    const second = await recordSale(runtime, order, sold);
    await deliver(runtime, second.id);
    const claimed = { user_id: next.userId, bought_with: second.id };
    await runtime.db.knex('owned_domains').where({ domain }).update(claimed);
    const open = await givenRenewal(runtime, { ...next, domains: [domain] });
    expect(await runtime.db.knex('renewals').where({ id: open.id }).pluck('status')).toEqual([
      'awaiting_payment',
    ]);
    expect(await run(LOCK, next)).toMatchObject({ state: 'ok' });
    expect(await run(LOCK)).toMatchObject({ code: 'forbidden' });
  });

  it('is renewed by us, whatever its buyer chose', async () => {
    const { knex } = runtime.db;
    const before = { expires_at: addMs(runtime.clock.now(), 10 * DAY), auto_renew: false };
    await knex('owned_domains').where({ domain }).update(before);
    await takeBack(runtime, order.id);
    await renewDueDomains(runtime, signal);
    expect(await changesOf(runtime, domain)).toContainEqual({ kind: 'renew', years: 1 });
  });

  it.each([
    ['while it is still in their account', async () => {}, PURCHASE_FAULTS.refunded],
    [
      'after it was granted to somebody else',
      async () => {
        const { email } = await givenOwnerOf(runtime, 0);
        await grantDomains(runtime, 'test', { email, domains: [domain] });
      },
      'It left your account before it was renewed.',
    ],
  ])(
    'gives its buyer the money of a renewal back that was not made yet, %s',
    async (_, next, refusal) => {
      const paid = await givenRenewal(runtime, owner);
      await payForRenewal(runtime, paid, card('4242424242424242'));
      expect(await renewalNow(runtime, paid)).toMatchObject({ status: 'paid' });
      await takeBack(runtime, order.id);
      await next();
      const job = { dedupe_key: `renew-domain:${paid.id}` };
      const { id: outboxId, epoch } = await runtime.db.knex('outbox').where(job).first();
      await carryOutRenewal(runtime, paid.id, { outboxId, epoch }, signal);
      expect(await renewalNow(runtime, paid)).toMatchObject({ status: 'refunded', refusal });
      expect(await changesOf(runtime, domain)).toEqual([]);
      // The registry refused nothing, so the mail does not say so.
      expect(await lastRefundMail()).toMatchObject({ renewalId: paid.id, why: 'lost', refusal });
    },
  );

  it('gives the money of a renewal back that was made while it lost its owner, and tells staff', async () => {
    const paid = await givenRenewal(runtime, owner);
    await payForRenewal(runtime, paid, card('4242424242424242'));
    const registrar = runtime.registrars(LIVE);
    const change = { kind: 'renew', years: 1 } as const;
    await registrar.change({ clientReference: paid.id, domain, change });
    await takeBack(runtime, order.id);
    const { email } = await givenOwnerOf(runtime, 0);
    await grantDomains(runtime, 'test', { email, domains: [domain] });
    const job = { dedupe_key: `renew-domain:${paid.id}` };
    const { id: outboxId, epoch } = await runtime.db.knex('outbox').where(job).first();
    await carryOutRenewal(runtime, paid.id, { outboxId, epoch }, signal);
    expect(await renewalNow(runtime, paid)).toMatchObject({ status: 'refunded' });
    expect(await lastRefundMail()).toMatchObject({ renewalId: paid.id, why: 'lost' });
    const { rows } = await listUnreadMessages(runtime, firstPage('oldest' as const, 10));
    expect(rows).toContainEqual(
      expect.objectContaining({ id: paid.id, fault: expect.stringContaining('renewed it') }),
    );
  });

  it('leaves its buyer’s account when the registrar of its next buyer has it', async () => {
    await takeBack(runtime, order.id);
    await relist();
    const sold = { domain, expectedPriceCents: order.price.amount };
    const { id: orderId } = await recordSale(runtime, order, sold);
    await nameRegistrant(runtime, orderId);
    await runtime.db.transact((uow) => startTransfer(uow, orderId));
    const now = runtime.clock.now();
    const out = { order_id: orderId, method: 'partner_registrar', status: 'code_issued', issue: 1 };
    const times = { since: now, issued_at: now, created_at: now };
    await runtime.db.knex('deliveries').insert({ ...out, ...times });
    await runtime.db.transact((uow) => recordFetched(uow, { orderId, issue: 1 }));
    expect(await ownerNow()).toBeUndefined();
  });

  it('is a matter for staff when another registrar takes it', async () => {
    await takeBack(runtime, order.id);
    const taken = { domain, registrar: 'other' };
    expect(await runtime.db.transact((uow) => recordTaken(uow, taken))).toBe(false);
    expect(await ownerNow()).toMatchObject({ taken_at: null });
  });

  it('can be granted to its buyer again, or to somebody else', async () => {
    const other = await givenOwnerOf(runtime, 0);
    const grantTo = ({ email }: Owner) =>
      grantDomains(runtime, 'test', { email, domains: [domain] });
    await expect(grantTo(other)).rejects.toMatchObject({ details: { reason: 'already_exists' } });
    await takeBack(runtime, order.id);
    const registrant = () => findRegistrant(runtime.db.knex, { environment: LIVE, domain });
    await runtime.db.transact((uow) =>
      recordRegistered(uow, runtime, {
        environment: LIVE,
        domain,
        registrant: KEPT_REGISTRANT,
        partnerId: null,
        orderId: order.id,
        knownAddresses: [],
        keepsHold: false,
      }),
    );
    expect(await grantTo(owner)).toBe(1);
    expect(await registrant()).toBeDefined();
    await runtime.db.knex('owned_domains').where({ domain }).update({ bought_with: order.id });
    expect(await grantTo(other)).toBe(1);
    // The new owner does not see who bought it before.
    expect(await registrant()).toBeUndefined();
    expect(await ownerNow()).toMatchObject({ user_id: other.userId, bought_with: null });
    expect(await run(LOCK, other)).toMatchObject({ state: 'ok' });
    await expect(grantTo(owner)).rejects.toMatchObject({ details: { reason: 'already_exists' } });
  });
});

describe('a domain that is granted back after it was sold here', () => {
  const forSale: BulkAction = { op: 'list', params: { price_cents: 700_000 } };
  /** Lets the domain of a purchase leave to another registrar and come back. */
  const leave = () => runtime.db.knex('owned_domains').where({ domain }).delete();
  const grant = () => grantDomains(runtime, 'test', { email: owner.email, domains: [domain] });

  it('is its owner’s to change and to sell, whatever was sold before', async () => {
    await leave();
    expect(await grant()).toBe(1);
    expect(await owned()).toMatchObject({ isBought: false, listing: { status: 'delisted' } });
    expect(await run(LOCK)).toMatchObject({ state: 'ok' });
    expect(await run(forSale)).toMatchObject({ state: 'ok' });
    expect(await listing()).toMatchObject({ status: 'listed', price_cents: 700_000 });
    const next = await recordSale(runtime, order, { domain, expectedPriceCents: 700_000 });
    expect(next.saleNumber).toBe(order.saleNumber + 1);
    expect(await run(LOCK)).toMatchObject({
      message: 'This domain is sold. You can no longer change it.',
    });
  });

  it('is theirs again after a refunded purchase', async () => {
    await takeBack(runtime, order.id);
    expect(await grant()).toBe(1);
    expect(await owned()).toMatchObject({ purchaseFault: null, isBought: false });
    expect(await run(forSale)).toMatchObject({ state: 'ok' });
  });

  it('stays sold while a buyer waits for it', async () => {
    await takeBack(runtime, order.id);
    await relist();
    await recordSale(runtime, order, { domain, expectedPriceCents: order.price.amount });
    await grant();
    expect(await run(forSale)).toMatchObject({
      message: 'This domain is sold. You can no longer change it.',
    });
  });

  /** Sells the domain with a brokerage deal, and returns its order. */
  const deal = async (): Promise<string> => {
    const { id: caseId } = await givenAgreedCase(runtime, order, 'USD');
    await moveToDomain(runtime, caseId, domain);
    const completed = { caseId, to: 'COMPLETED', by: 'ops', dealPriceCents: 400_000 } as const;
    await runtime.db.transact((uow) => moveCase(uow, runtime, completed));
    const sold = await runtime.db.knex('orders').where({ brokerage_case_id: caseId }).first('id');
    return sold.id;
  };

  it.each([
    ['listed before', null],
    ['never listed', '-infinity'],
  ])('is its new owner’s when their brokered sale is refunded, %s', async (_, delistedAt) => {
    await runtime.db.knex('listings').where({ domain }).update({ delisted_at: delistedAt });
    await leave();
    await grant();
    await takeBack(runtime, await deal());
    expect(await listing()).toMatchObject({ status: 'delisted', sale_number: 2 });
    expect(await run(LOCK)).toMatchObject({ state: 'ok' });
    expect(await run(forSale)).toMatchObject({ state: 'ok' });
  });

  it('keeps nothing of what was asked of the owner before', async () => {
    const before = { createdAt: runtime.clock.now() };
    runtime.clock.advance(1_000);
    await leave();
    await grant();
    const { reopened_at: reopenedAt } = await listing();
    expect(isOfEarlierSale({ reopenedAt }, before)).toBe(true);
    expect(isOfEarlierSale({ reopenedAt }, { createdAt: runtime.clock.now() })).toBe(false);
  });

  it('stays off the market when the sale that it waited for is refunded', async () => {
    await takeBack(runtime, order.id);
    await relist();
    const sold = { domain, expectedPriceCents: order.price.amount };
    const sale = await recordSale(runtime, order, sold);
    await grant();
    await takeBack(runtime, sale.id);
    expect(await listing()).toMatchObject({ status: 'delisted' });
    expect(await run(forSale)).toMatchObject({ state: 'ok' });
  });

  it('is its new owner’s when the brokered sale that it waited for is refunded', async () => {
    const resold = await deal();
    await leave();
    await grant();
    expect(await run(LOCK)).toMatchObject({ code: 'conflict' });
    await takeBack(runtime, resold);
    expect(await listing()).toMatchObject({ status: 'delisted', sale_number: 2 });
    expect(await run(LOCK)).toMatchObject({ state: 'ok' });
  });

  it('takes the place of a seller whose buyer moved it away', async () => {
    const seller = await givenOwnerOf(runtime, 1);
    [domain = ''] = seller.domains;
    const partner = await givenPartner(runtime, { environment: LIVE });
    const { priceCents } = await givenListing(runtime, { environment: LIVE, domain });
    runtime.clock.advance(1_000);
    const sold = { domain, expectedPriceCents: priceCents };
    const sale = await recordSale(runtime, partner, sold);
    await expect(grant()).rejects.toMatchObject({ details: { reason: 'already_exists' } });
    await deliver(runtime, sale.id);
    expect(await grant()).toBe(1);
    expect(await ownerNow()).toMatchObject({ user_id: owner.userId });
    expect(await run(forSale)).toMatchObject({ state: 'ok' });
  });

  it('stays with a buyer who was granted it before the delivery was confirmed', async () => {
    const seller = await givenOwnerOf(runtime, 1);
    [domain = ''] = seller.domains;
    const partner = await givenPartner(runtime, { environment: LIVE });
    const { priceCents } = await givenListing(runtime, { environment: LIVE, domain });
    const sold = { domain, expectedPriceCents: priceCents };
    const sale = await recordSale(runtime, partner, sold);
    await leave();
    runtime.clock.advance(1_000);
    expect(await grant()).toBe(1);
    runtime.clock.advance(1_000);
    await deliver(runtime, sale.id);
    const { email } = await givenOwnerOf(runtime, 0);
    await expect(grantDomains(runtime, 'test', { email, domains: [domain] })).rejects.toMatchObject(
      { details: { reason: 'already_exists' } },
    );
    expect(await ownerNow()).toMatchObject({ user_id: owner.userId });
  });
});
