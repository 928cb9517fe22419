import { pruneDeliveries } from '../../shared/delivery/events/prune-deliveries.ts';
import { createJobLifecycle } from '../../shared/delivery/jobs/job-lifecycle.ts';
import { pruneIdempotencyKeys } from '../../shared/delivery/unit-of-work/idempotency.ts';
import { pruneBulkJobs } from '../../shared/domains/bulk/bulk-job-lifecycle.ts';
import { pruneSandboxRegistrar } from '../../shared/domains/registrar/sandbox-registrar.ts';
import { pruneSearchMisses } from '../../shared/market/search/misses/search-misses.ts';
import {
  prunePayments,
  pruneSandboxPayments,
} from '../../shared/money/payments/payment-lifecycle.ts';
import { pruneLedgerChecks } from '../../shared/operations/ledger-check/ledger-check.ts';
import { pruneOAuth } from '../../shared/people/oauth/oauth-records.ts';
import { pruneSessions } from '../../shared/people/users/user-session.ts';
import { addMs, DAY, HOUR, MINUTE } from '../../shared/platform/clock.ts';
import { eraseCaseBuyers } from '../../shared/sales/brokerage/case-lifecycle.ts';
import {
  eraseAbandonedCheckoutBuyers,
  pruneCheckoutSessions,
} from '../../shared/sales/checkout/checkout-lifecycle.ts';
import { pruneQuotes } from '../../shared/sales/quotes/quote-lifecycle.ts';
import { pruneClickBatches } from '../../shared/sales/referral/click-counts.ts';
import { pruneSettlementRuns } from '../../shared/settlement/statements/run-settlements.ts';
import type { ScheduledTask, WorkContext } from '../runtime/job-handler.ts';
import { runInBatches } from './run-in-batches.ts';

/** Erases the buyers of brokerage cases that came to nothing. */
export const eraseCaseBuyersTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'erase-case-buyers',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  run: ({ runtime, signal }) => runInBatches(signal, (limit) => eraseCaseBuyers(runtime, limit)),
};

/** Erases buyers who left without buying, and later deletes what else is left of their checkout. */
export const pruneCheckoutSessionsTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-checkout-sessions',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  async run({ runtime, signal }) {
    return {
      erased: await runInBatches(signal, (limit) => eraseAbandonedCheckoutBuyers(runtime, limit)),
      // A session goes when it has no payment any more.
      payments: await runInBatches(signal, (limit) => prunePayments(runtime, limit)),
      sessions: await runInBatches(signal, (limit) => pruneCheckoutSessions(runtime, limit)),
    };
  },
};

/** Deletes quotes that ran out long ago. */
export const pruneQuotesTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-quotes',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  run: ({ runtime, signal }) => runInBatches(signal, (limit) => pruneQuotes(runtime, limit)),
};

/** Deletes sessions that are over. */
export const pruneSessionsTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-sessions',
  everyMs: 10 * MINUTE,
  deadlineMs: MINUTE,
  run: ({ runtime, signal }) => runInBatches(signal, (limit) => pruneSessions(runtime, limit)),
};

/** Deletes what is left of sign-ins that are over, and clients that nobody uses. */
export const pruneOAuthTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-oauth',
  everyMs: 10 * MINUTE,
  deadlineMs: MINUTE,
  run: ({ runtime, signal }) => runInBatches(signal, (limit) => pruneOAuth(runtime, limit)),
};

/** Deletes idempotency keys past their time, with the answers stored under them. */
export const pruneIdempotencyKeysTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-idempotency-keys',
  everyMs: 10 * MINUTE,
  deadlineMs: 5 * MINUTE,
  run: ({ runtime, signal }) =>
    runInBatches(signal, (limit) => pruneIdempotencyKeys(runtime, limit)),
};

/** Deletes jobs that were done long enough ago; dead ones stay until somebody looks at them. */
export const pruneOutboxTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-outbox',
  everyMs: 10 * MINUTE,
  deadlineMs: 5 * MINUTE,
  run: pruneOutbox,
};

async function pruneOutbox({ runtime, signal }: WorkContext): Promise<number> {
  const { db, clock, config } = runtime;
  const lifecycle = createJobLifecycle(db, clock, config.outboxLeaseMs);
  const before = addMs(clock.now(), -config.outboxKeepDays * DAY);
  return runInBatches(signal, (limit) => lifecycle.prune(before, limit));
}

/** Deletes finished webhook deliveries and their attempts after their keep. */
export const pruneDeliveriesTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-deliveries',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  run: pruneFinished,
};

async function pruneFinished({ runtime, signal }: WorkContext): Promise<number> {
  const { db, clock, config } = runtime;
  const before = addMs(clock.now(), -config.deliveryKeepDays * DAY);
  return runInBatches(signal, (limit) => pruneDeliveries({ db }, before, limit));
}

/** Each has up to a thousand results. */
const BULK_JOBS_PER_BATCH = 20;

/** Deletes finished bulk jobs and their results after their keep. */
export const pruneBulkJobsTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-bulk-jobs',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  run: ({ runtime, signal }) =>
    runInBatches(signal, (limit) => pruneBulkJobs(runtime, limit), BULK_JOBS_PER_BATCH),
};

/** Each has a row for every partner. */
const RUNS_PER_BATCH = 20;

/** Deletes settlement runs that ended long ago; what they closed stays. */
export const pruneSettlementRunsTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-settlement-runs',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  run: ({ runtime, signal }) =>
    runInBatches(signal, (limit) => pruneSettlementRuns(runtime, limit), RUNS_PER_BATCH),
};

/** Deletes old recounts of the ledger. */
export const pruneLedgerChecksTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-ledger-checks',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  run: ({ runtime, signal }) => runInBatches(signal, (limit) => pruneLedgerChecks(runtime, limit)),
};

/** Deletes queries of searches that found nothing long ago. */
export const pruneSearchMissesTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-search-misses',
  everyMs: 6 * HOUR,
  deadlineMs: 5 * MINUTE,
  run: ({ runtime, signal }) =>
    runInBatches(signal, (limit) =>
      pruneSearchMisses(runtime, runtime.config.searchMissKeepDays, limit),
    ),
};

/** Deletes what the sandbox's payment provider and registrar need not remember. */
export const pruneSandboxTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-sandbox',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  async run({ runtime, signal }) {
    return {
      payments: await runInBatches(signal, (limit) => pruneSandboxPayments(runtime, limit)),
      registrar: await runInBatches(signal, (limit) => pruneSandboxRegistrar(runtime, limit)),
    };
  },
};

/** Deletes the ids of batches of clicks that were rolled up long ago. */
export const pruneBatchesTask: ScheduledTask = {
  queue: 'referrals',
  name: 'prune-click-batches',
  everyMs: 6 * HOUR,
  deadlineMs: MINUTE,
  run: ({ runtime }) => pruneClickBatches(runtime),
};
