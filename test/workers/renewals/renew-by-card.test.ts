import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { placeLegalHold } from '../../../shared/domains/legal-holds/legal-holds.ts';
import { renewDueDomains } from '../../../shared/domains/owned-domains/renew-due-domains.ts';
import { readMail } from '../../../shared/messaging/mail/mail-settings.ts';
import { findKeptCard, forgetCard } from '../../../shared/money/payments/kept-cards.ts';
import { reconcilePayments } from '../../../shared/money/payments/payment-updates.ts';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { addMs, DAY, MINUTE } from '../../../shared/platform/clock.ts';
import type { Order } from '../../../shared/sales/orders/order.ts';
import { PAYMENT_NEWS } from '../../../shared/sales/payment-news/apply-payment-news.ts';
import { relistDomain } from '../../../shared/sales/refunds/relist-domain.ts';
import { renewByCards } from '../../../shared/sales/renewals/renew-by-card.ts';
import { REGISTRY } from '../../../workers/job-registry.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import {
  finished,
  givenBulkJob,
  givenOwnerOf,
  itemsNow,
  type Owner,
  ownedNow,
} from '../../support/bulk.ts';
import { eventually } from '../../support/eventually.ts';
import { givenListing } from '../../support/factories.ts';
import { CARDS, card } from '../../support/payments.ts';
import { disputePurchase, givenPurchaseOf } from '../../support/purchases.ts';
import { PROMPT } from '../../support/quick-fleet.ts';
import {
  changesOf,
  givenPrices,
  givenRenewal,
  payForRenewal,
  untilRenewalIs,
} from '../../support/renewals.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { recordSale } from '../../support/sales.ts';
import { takeBack } from '../../support/take-back.ts';
import { givenSale } from '../../support/transfers.ts';

const { signal } = new AbortController();
/** Without the schedule, whose first round could come between. */
const registry = REGISTRY.filter((entry) => 'job' in entry);
let runtime: TestRuntime;
let owner: Owner;
let domain: string;
let fleet: WorkerProcess;

beforeEach(async () => {
  runtime = await createTestRuntime({ ...PROMPT, outboxPollMs: 20, MAIL: 'on' });
  await givenPrices(runtime);
  owner = await givenOwnerOf(runtime, 1);
  domain = owner.domains[0] ?? '';
  const { order } = await givenSale(runtime);
  await runtime.db
    .knex('owned_domains')
    .where({ domain })
    .update({ bought_with: order.id, auto_renew: true });
  await runtime.db.knex('sandbox_registrar_domains').update({ auto_renew: true });
  fleet = startWorkers(runtime, { queues: ['transfers', 'payments', 'bulk-domains'], registry });
});
afterEach(async () => {
  await fleet.stop();
  expect((await checkLedger(runtime)).imbalances).toEqual([]);
  await runtime.stop();
});

/** A renewal by hand with a card that the owner lets us keep, and the clock so many days before the next end. */
async function givenKeptCard(number: string, daysBefore: number): Promise<void> {
  const renewal = await givenRenewal(runtime, owner);
  await payForRenewal(runtime, renewal, card(number), true);
  await untilRenewalIs(runtime, renewal, 'completed');
  await goTo(daysBefore);
}
async function goTo(daysBefore: number): Promise<void> {
  const now = runtime.clock.now().getTime();
  runtime.clock.advance(addMs(await expiry(), -daysBefore * DAY).getTime() - now);
}
const expiry = async () => (await ownedNow(runtime, owner))[0]?.expiresAt as Date;
const renew = () => renewByCards(runtime, signal);
const automatic = () =>
  runtime.db
    .knex('renewals')
    .whereNotNull('automatic_days')
    .orderBy('id')
    .select('id', 'status', 'automatic_days');
const failures = async () => {
  const ids = await runtime.db
    .knex('mails')
    .where({ kind: 'auto-renew-failed' })
    .orderBy('id')
    .pluck('id');
  return Promise.all(
    ids.map(async (id) => (await readMail(runtime, id)).data as { why: string; days: number }),
  );
};

describe('auto-renewing a domain that was bought here', () => {
  it('charges the owner’s saved card once, 30 days before expiry', async () => {
    await givenKeptCard(CARDS.succeeds, 31);
    const before = await expiry();
    expect(await renew()).toEqual({ charged: 0, failed: 0 });
    await goTo(30);
    expect(await renew()).toEqual({ charged: 1, failed: 0 });
    expect(await renew()).toEqual({ charged: 0, failed: 0 });
    const [tried] = await automatic();
    await untilRenewalIs(runtime, tried, 'completed');
    expect(await renew()).toEqual({ charged: 0, failed: 0 });
    const after = await expiry();
    expect(after.getUTCFullYear()).toBe(before.getUTCFullYear() + 1);
    expect(await changesOf(runtime, domain)).toHaveLength(2);
    expect(await runtime.db.knex('documents').where({ kind: 'receipt' })).toHaveLength(2);
    const payer = await runtime.db.knex('renewals').where({ id: tried.id }).first('payer_name');
    expect(payer.payer_name).toBe('A. Owner');
  });

  it('retries a declined card at 30, 15, 7 and 3 days and notifies the owner each time', async () => {
    await givenKeptCard('4000000000000341', 30);
    for (const days of [30, 29, 15, 10, 7, 4, 3, 2, 1]) {
      await goTo(days);
      await renew();
      await renew();
    }
    expect((await automatic()).map((each) => [each.status, each.automatic_days])).toEqual([
      ['cancelled', 30],
      ['cancelled', 15],
      ['cancelled', 7],
      ['cancelled', 3],
    ]);
    expect((await failures()).map(({ why, days }) => [why, days])).toEqual([
      ['declined', 30],
      ['declined', 15],
      ['declined', 7],
      ['declined', 3],
    ]);
    expect(await changesOf(runtime, domain)).toHaveLength(1);
    const fault = () =>
      runtime.db.knex('owned_domains').where({ domain }).first('renewal_fault').then(Object.values);
    expect(await fault()).toEqual([expect.stringContaining('was declined')]);
    // By hand it still can be.
    const renewal = await givenRenewal(runtime, owner);
    await payForRenewal(runtime, renewal, card(CARDS.succeeds));
    await untilRenewalIs(runtime, renewal, 'completed');
    expect(await fault()).toEqual([null]);
  });

  it('notifies the owner when there is no valid card', async () => {
    await goTo(20);
    expect(await renew()).toEqual({ charged: 0, failed: 1 });
    expect(await renew()).toEqual({ charged: 0, failed: 1 });
    expect(await failures()).toMatchObject([{ why: 'no_card', days: 30 }]);
    expect(await automatic()).toEqual([]);
    expect(await renewDueDomains(runtime, signal)).toEqual({ renewed: 0, failed: 0 });
  });

  it('charges nothing after the card was removed', async () => {
    await givenKeptCard(CARDS.succeeds, 20);
    expect(await findKeptCard(runtime.db.knex, owner.userId)).toMatchObject({
      token: 'sandbox_card_succeeded',
      brand: 'visa',
      last4: '4242',
    });
    expect(await forgetCard(runtime, owner.userId)).toBe(true);
    expect(await forgetCard(runtime, owner.userId)).toBe(false);
    expect(await renew()).toEqual({ charged: 0, failed: 1 });
  });

  it('charges once when the provider’s answer was lost', async () => {
    await givenKeptCard(CARDS.succeeds, 20);
    const real = runtime.payments('LIVE');
    const lost: TestRuntime = {
      ...runtime,
      payments: () => ({
        ...real,
        async charge(request) {
          await real.charge(request);
          throw new Error('the connection was cut');
        },
      }),
    };
    expect(await renewByCards(lost, signal)).toEqual({ charged: 0, failed: 1 });
    expect(await renew()).toEqual({ charged: 0, failed: 0 });
    runtime.clock.advance(11 * MINUTE);
    await reconcilePayments(runtime, PAYMENT_NEWS.state, signal);
    const [tried] = await automatic();
    await untilRenewalIs(runtime, tried, 'completed');
    expect(await runtime.db.knex('sandbox_payments')).toHaveLength(2);
  });

  it('renews a domain on legal hold without charge so that it does not expire', async () => {
    await givenKeptCard(CARDS.succeeds, 20);
    await placeLegalHold(runtime, 'cli:test', {
      domain,
      kind: 'court_order',
      caseReference: 'C-1',
    });
    expect(await renew()).toEqual({ charged: 0, failed: 0 });
    expect(await renewDueDomains(runtime, signal)).toEqual({ renewed: 1, failed: 0 });
  });

  it('is not charged or asked for a domain that they have sold again', async () => {
    await givenKeptCard(CARDS.succeeds, 20);
    await givenListing(runtime, { domain, environment: 'LIVE', status: 'sold' });
    const listing = runtime.db.knex('listings').where({ domain });
    await listing.clone().update({ sale_number: 2 });
    expect(await renew()).toEqual({ charged: 0, failed: 0 });
    expect(await failures()).toEqual([]);
    await listing.clone().update({ sale_number: 1 });
    expect(await renew()).toEqual({ charged: 1, failed: 0 });
  });

  describe('whose purchase', () => {
    let order: Order;
    beforeEach(async () => {
      order = await givenPurchaseOf(runtime, domain);
      await givenKeptCard(CARDS.succeeds, 20);
    });

    it('was refunded charges nobody, also once it is sold again; we renew it for ourselves', async () => {
      await takeBack(runtime, order.id);
      expect(await renew()).toEqual({ charged: 0, failed: 0 });
      const listing = { environment: 'LIVE', domain } as const;
      await relistDomain(runtime, { ...listing, returned: true });
      const next = await recordSale(runtime, order, {
        domain,
        expectedPriceCents: order.price.amount,
      });
      expect(next.saleNumber).toBe(order.saleNumber);
      expect(await renew()).toEqual({ charged: 0, failed: 0 });
      expect(await failures()).toEqual([]);
      expect(await renewDueDomains(runtime, signal)).toEqual({ renewed: 1, failed: 0 });
      expect(await renewDueDomains(runtime, signal)).toEqual({ renewed: 0, failed: 0 });
    });

    it('is refunded while its renewal is priced charges nobody', async () => {
      const real = runtime.registrars('LIVE');
      const refunding: TestRuntime = {
        ...runtime,
        registrars: () => ({
          ...real,
          async inspect(domains) {
            await takeBack(runtime, order.id);
            return real.inspect(domains);
          },
        }),
      };
      expect(await renewByCards(refunding, signal)).toEqual({ charged: 0, failed: 1 });
      expect(await automatic()).toEqual([]);
      expect(await failures()).toEqual([]);
    });

    it('is refunded while its card is charged gets the money of the renewal back', async () => {
      const real = runtime.payments('LIVE');
      const refunding: TestRuntime = {
        ...runtime,
        payments: () => ({
          ...real,
          async charge(request) {
            await takeBack(runtime, order.id);
            return real.charge(request);
          },
        }),
      };
      await renewByCards(refunding, signal);
      const [tried] = await automatic();
      expect(tried).toMatchObject({ status: 'cancelled' });
      await eventually(
        () => runtime.db.knex('payments').where({ renewal_id: tried.id }).pluck('status'),
        ([status]) => status === 'refunded',
      );
      expect(await changesOf(runtime, domain)).toHaveLength(1);
    });

    it('is disputed does not charge the card until the dispute is won, and tells its owner', async () => {
      await disputePurchase(runtime, order, 'needs_response');
      for (let time = 0; time < 2; time += 1) {
        expect(await renew()).toEqual({ charged: 0, failed: 1 });
      }
      expect(await failures()).toMatchObject([{ why: 'disputed', days: 30 }]);
      expect(await automatic()).toEqual([]);
      await disputePurchase(runtime, order, 'won');
      expect(await renew()).toEqual({ charged: 1, failed: 0 });
    });
  });

  it('is rejected in a bulk job, with a link to pay', async () => {
    const job = await givenBulkJob(runtime, owner, { op: 'renew', params: { years: 1 } });
    await finished(runtime, job);
    expect(await itemsNow(runtime, job)).toMatchObject([
      {
        state: 'error',
        code: 'conflict',
        message: expect.stringContaining(`/account/domains/${domain}/renew`),
      },
    ]);
    expect(await changesOf(runtime, domain)).toEqual([]);
  });
});

it('the number of a saved card is not stored anywhere', async () => {
  await givenKeptCard(CARDS.succeeds, 20);
  for (const table of ['kept_cards', 'sandbox_payments', 'renewals', 'audit_log', 'payments']) {
    expect(JSON.stringify(await runtime.db.knex(table))).not.toContain(CARDS.succeeds);
  }
});
