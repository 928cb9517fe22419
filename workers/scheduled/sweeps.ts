import { prunePings } from '../../shared/delivery/events/prune-pings.ts';
import { pruneJobKeys, pruneJobs } from '../../shared/delivery/jobs/job-retention.ts';
import { pruneMailbox, pruneMails } from '../../shared/delivery/mail/deliver-mail.ts';
import { pruneIdempotencyKeys } from '../../shared/delivery/unit-of-work/idempotency.ts';
import { pruneDeliveryLog } from '../../shared/delivery/webhooks/delivery-retention.ts';
import { pruneReplays } from '../../shared/delivery/webhooks/replay.ts';
import { pruneBulkJobs } from '../../shared/domains/bulk/bulk-job-lifecycle.ts';
import { pruneSandboxRegistrar } from '../../shared/domains/registrar/sandbox-registrar.ts';
import { pruneImports } from '../../shared/market/inventory/listing-import.ts';
import { pruneSearchMisses } from '../../shared/market/search/misses/search-misses.ts';
import {
  prunePayments,
  pruneSandboxPayments,
} from '../../shared/money/payments/payment-lifecycle.ts';
import { pruneLedgerChecks } from '../../shared/operations/ledger-check/ledger-check.ts';
import { addAllPartitions } from '../../shared/operations/partitions/partitioned-tables.ts';
import { pruneStatusHistory } from '../../shared/operations/status-history/status-history.ts';
import { pruneOAuth } from '../../shared/people/oauth/oauth-records.ts';
import { pruneRequests } from '../../shared/people/partners/request-log.ts';
import { pruneLinks } from '../../shared/people/users/account-link.ts';
import { pruneChallenges } from '../../shared/people/users/passkey.ts';
import { pruneAttempts } from '../../shared/people/users/sign-in-attempt.ts';
import { pruneFailures } from '../../shared/people/users/sign-in-failure.ts';
import { pruneSessions } from '../../shared/people/users/user-session.ts';
import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import { eraseCaseBuyers } from '../../shared/sales/brokerage/case-lifecycle.ts';
import {
  eraseAbandonedCheckoutBuyers,
  expireCheckoutSessions,
  pruneCheckoutSessions,
} from '../../shared/sales/checkout/checkout-lifecycle.ts';
import { eraseOfferBuyers, expireOffers } from '../../shared/sales/offers/offer-lifecycle.ts';
import { expireQuotes, pruneQuotes } from '../../shared/sales/quotes/quote-lifecycle.ts';
import { pruneClickBatches } from '../../shared/sales/referral/click-counts.ts';
import { pruneSettlementRuns } from '../../shared/settlement/statements/run-settlements.ts';
import type { ScheduledTask } from '../runtime/job-handler.ts';
import { runInBatches, sweepTask } from './sweep-task.ts';

/** Marks quotes that have run out. */
export const expireQuotesTask = sweepTask({
  name: 'expire-quotes',
  everyMs: MINUTE,
  deadlineMs: MINUTE,
  sweep: expireQuotes,
});

/** Ends offers that nobody answered in time. */
export const expireOffersTask = sweepTask({
  name: 'expire-offers',
  everyMs: MINUTE,
  deadlineMs: MINUTE,
  sweep: expireOffers,
});

/** Erases the buyers of offers that came to nothing. */
export const eraseOfferBuyersTask = sweepTask({
  name: 'erase-offer-buyers',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  sweep: eraseOfferBuyers,
});

/** Marks checkout sessions that have run out. */
export const expireCheckoutSessionsTask = sweepTask({
  name: 'expire-checkout-sessions',
  everyMs: 10 * MINUTE,
  deadlineMs: 5 * MINUTE,
  sweep: expireCheckoutSessions,
});

/** Erases the buyers of brokerage cases that came to nothing. */
export const eraseCaseBuyersTask = sweepTask({
  name: 'erase-case-buyers',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  sweep: eraseCaseBuyers,
});

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
export const pruneQuotesTask = sweepTask({
  name: 'prune-quotes',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  sweep: pruneQuotes,
});

/** Deletes sessions that are over. */
export const pruneSessionsTask = sweepTask({
  name: 'prune-sessions',
  everyMs: 10 * MINUTE,
  deadlineMs: MINUTE,
  sweep: pruneSessions,
});

/** Deletes links of mails that expired, what slows down guessing, old failures, and used challenges of passkeys. */
export const pruneAccountLinksTask = sweepTask({
  name: 'prune-account-links',
  everyMs: 10 * MINUTE,
  deadlineMs: MINUTE,
  sweep: async (runtime, limit) =>
    Math.max(
      await pruneLinks(runtime, limit),
      await pruneAttempts(runtime, limit),
      await pruneFailures(runtime, limit),
      await pruneChallenges(runtime, limit),
    ),
});

/** Deletes what is left of sign-ins that are over, and clients that nobody uses. */
export const pruneOAuthTask = sweepTask({
  name: 'prune-oauth',
  everyMs: 10 * MINUTE,
  deadlineMs: MINUTE,
  sweep: pruneOAuth,
});

/** Deletes idempotency keys past their time, with the answers stored under them. */
export const pruneIdempotencyKeysTask = sweepTask({
  name: 'prune-idempotency-keys',
  everyMs: 10 * MINUTE,
  deadlineMs: 5 * MINUTE,
  sweep: pruneIdempotencyKeys,
});

/** Drops weeks of jobs after their keep, and forgets keys; dead jobs, and their week, stay until somebody looks at them. */
export const pruneOutboxTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-outbox',
  everyMs: 10 * MINUTE,
  deadlineMs: 5 * MINUTE,
  async run({ runtime, signal }) {
    return {
      weeks: await pruneJobs(runtime),
      keys: await runInBatches(signal, (limit) => pruneJobKeys(runtime, limit)),
    };
  },
};

/** Drops weeks of webhook deliveries and of their attempts after their keep, and deletes the pings that they were of. */
export const pruneDeliveriesTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-deliveries',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  async run({ runtime, signal }) {
    return {
      ...(await pruneDeliveryLog(runtime)),
      pings: await runInBatches(signal, (limit) => prunePings(runtime, limit)),
    };
  },
};

/** Deletes replays after the keep of what they sent. */
export const pruneReplaysTask = sweepTask({
  name: 'prune-replays',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  sweep: pruneReplays,
});

/** Deletes finished imports of listings, with the rows that they refused. */
export const pruneImportsTask = sweepTask({
  name: 'prune-imports',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  sweep: pruneImports,
  // Each has up to a thousand refused rows.
  batch: 20,
});

/** Deletes finished bulk jobs and their results after their keep. */
export const pruneBulkJobsTask = sweepTask({
  name: 'prune-bulk-jobs',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  sweep: pruneBulkJobs,
  // Each has up to a thousand results.
  batch: 20,
});

/** Deletes settlement runs that ended long ago; what they closed stays. */
export const pruneSettlementRunsTask = sweepTask({
  name: 'prune-settlement-runs',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  sweep: pruneSettlementRuns,
  // Each has a row for every partner.
  batch: 20,
});

/** Deletes what the status page no longer shows. */
export const pruneStatusHistoryTask = sweepTask({
  name: 'prune-status-history',
  everyMs: HOUR,
  deadlineMs: MINUTE,
  sweep: pruneStatusHistory,
});

/** Deletes old recounts of the ledger. */
export const pruneLedgerChecksTask = sweepTask({
  name: 'prune-ledger-checks',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  sweep: pruneLedgerChecks,
});

/** Deletes mails that ended long ago, with the addresses that they went to. */
export const pruneMailsTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-mails',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  async run({ runtime, signal }) {
    return {
      mails: await runInBatches(signal, (limit) => pruneMails(runtime, limit)),
      mailbox: await runInBatches(signal, (limit) => pruneMailbox(runtime, limit)),
    };
  },
};

/** Deletes queries of searches that found nothing long ago. */
export const pruneSearchMissesTask = sweepTask({
  name: 'prune-search-misses',
  everyMs: 6 * HOUR,
  deadlineMs: 5 * MINUTE,
  sweep: (services, limit) =>
    pruneSearchMisses(services, services.config.searchMissKeepDays, limit),
});

/** Drops days of the request logs of partners after their keep. */
export const pruneRequestLogTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-request-log',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  run: async ({ runtime }) => ({ days: await pruneRequests(runtime) }),
};

/** Makes partitions of the logs ahead of their time. */
export const addPartitionsTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'add-partitions',
  everyMs: HOUR,
  deadlineMs: MINUTE,
  run: async ({ runtime: { db, clock } }) => ({
    made: await addAllPartitions(db.knex, clock.now()),
  }),
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
