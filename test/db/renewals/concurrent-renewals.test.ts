import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { reconcilePayments } from '../../../shared/money/payments/payment-updates.ts';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { MINUTE } from '../../../shared/platform/clock.ts';
import { ServiceError } from '../../../shared/platform/errors.ts';
import { PAYMENT_NEWS } from '../../../shared/sales/payment-news/apply-payment-news.ts';
import {
  cancelRenewal,
  confirmRenewalPayment,
} from '../../../shared/sales/renewals/pay-renewal.ts';
import { expireRenewals } from '../../../shared/sales/renewals/read-renewals.ts';
import type { Renewal } from '../../../shared/sales/renewals/renewal.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { givenOwnerOf, type Owner, withRegistrar } from '../../support/bulk.ts';
import { eventually } from '../../support/eventually.ts';
import { CARDS, card } from '../../support/payments.ts';
import { PROMPT } from '../../support/quick-fleet.ts';
import { changesOf, givenPrices, givenRenewal, payForRenewal } from '../../support/renewals.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
let fleet: WorkerProcess;
const made = new Set<string>();
/** What the registrar does on the next calls instead of answering. */
let registrar: ('lost' | 'away' | 'refuses')[] = [];

beforeAll(async () => {
  runtime = await createTestRuntime({ ...PROMPT, outboxPollMs: 20 });
  await givenPrices(runtime);
  fleet = startWorkers(
    withRegistrar(runtime, async (request, real) => {
      const does = registrar.shift();
      if (does === 'away') throw new Error('no answer');
      // It can't refuse what it has already done.
      const isMade = made.has(request.clientReference);
      if (does === 'refuses' && !isMade) return { status: 'refused', reason: 'No.' };
      made.add(request.clientReference);
      const answer = await real(request);
      if (does === 'lost') throw new Error('the connection was cut');
      return answer;
    }),
    { queues: ['transfers', 'payments'] },
  );
});
afterAll(async () => {
  await fleet.stop();
  await runtime.stop();
});

/** What the owner, provider, bank, clock, and workers may do concurrently. */
function act(owner: Owner, renewal: Renewal, what: number): Promise<unknown> {
  const acts: (() => Promise<unknown>)[] = [
    () => payForRenewal(runtime, renewal, card(CARDS.succeeds)),
    () => payForRenewal(runtime, renewal, card(CARDS.succeeds)),
    () => payForRenewal(runtime, renewal, card(CARDS.confirms)),
    () => payForRenewal(runtime, renewal, card(CARDS.declined)),
    () => confirmRenewalPayment(runtime, renewal.id, true),
    () => confirmRenewalPayment(runtime, renewal.id, false),
    () => cancelRenewal(runtime, renewal.id),
    () => expireRenewals(runtime, 100),
    () => reconcilePayments(runtime, PAYMENT_NEWS.state, new AbortController().signal),
    () => givenRenewal(runtime, owner, { years: 1 + (what % 2) }),
    () => lateMoney(renewal),
  ];
  return (acts[what % acts.length] as () => Promise<unknown>)();
}

/** The bank captures an abandoned payment after all, and the provider reports it. */
async function lateMoney(renewal: Renewal): Promise<void> {
  const { knex } = runtime.db;
  const [payment] = await knex('payments').where({ renewal_id: renewal.id }).orderBy('attempt');
  if (!payment?.provider_reference) return;
  const taken = { status: 'succeeded', decline_code: null };
  await knex('sandbox_payments').where({ payment_id: payment.id }).update(taken);
  const reference = payment.provider_reference;
  await PAYMENT_NEWS.state(runtime, payment.id, { status: 'succeeded', reference });
}

/** Waits until no work is pending, letting scheduled retries run. */
function quiet(): Promise<unknown> {
  return eventually(
    async () => {
      runtime.clock.advance(10 * MINUTE);
      await reconcilePayments(runtime, PAYMENT_NEWS.state, new AbortController().signal);
      return runtime.db
        .knex('outbox')
        .whereIn('name', ['renew-domain', 'refund-payment'])
        .where('state', '<>', 'done')
        .pluck('name');
    },
    (left) => left.length === 0,
  );
}

const rounds = fc.array(
  fc.record({
    acts: fc.array(fc.nat(10), { minLength: 1, maxLength: 6 }),
    registrar: fc.array(fc.constantFrom('lost', 'away', 'refuses'), { maxLength: 2 }),
    waitMinutes: fc.constantFrom(0, 0, 0, 11, 40),
  }),
  { minLength: 1, maxLength: 4 },
);

it('every renewal payment either pays for a renewal or is refunded, in any order', async () => {
  await fc.assert(
    fc.asyncProperty(rounds, async (played) => {
      const owner = await givenOwnerOf(runtime, 1);
      const [domain = ''] = owner.domains;
      let renewal = await givenRenewal(runtime, owner);
      for (const round of played) {
        registrar.push(...round.registrar);
        const open = renewal;
        const done = await Promise.allSettled(round.acts.map((what) => act(owner, open, what)));
        for (const each of done) {
          if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(ServiceError);
        }
        runtime.clock.advance(round.waitMinutes * MINUTE);
        renewal = await givenRenewal(runtime, owner).catch(() => open);
      }
      await quiet();
      registrar = [];

      const { knex } = runtime.db;
      const renewals = await knex('renewals').where({ domain });
      const payments = await knex('payments').whereIn(
        'renewal_id',
        renewals.map(({ id }) => id),
      );
      const taken = await knex('sandbox_payments')
        .whereIn(
          'payment_id',
          payments.map(({ id }) => id),
        )
        .where({ status: 'succeeded' });
      const completed = renewals.filter(({ status }) => status === 'completed');
      const sum = (rows: { amount_cents: number }[]) =>
        rows.reduce((total, row) => total + row.amount_cents, 0);
      const back = taken.filter((each) => each.refunded_at !== null);
      expect(sum(taken) - sum(back)).toBe(sum(completed));
      // The registry did exactly what was paid for.
      const years = completed.map((each) => each.years).sort();
      const done = (await changesOf(runtime, domain)).map((change) =>
        change.kind === 'renew' ? change.years : 0,
      );
      expect(done.sort()).toEqual(years);
      expect(renewals.filter(({ status }) => status === 'paid')).toEqual([]);
    }),
    { numRuns: 25 },
  );
  expect((await checkLedger(runtime)).imbalances).toEqual([]);
});
