import { prunePings } from '../../shared/messaging/events/pings.ts';
import { pruneDeliveryLog } from '../../shared/messaging/webhooks/delivery-retention.ts';
import {
  addAllPartitions,
  dropExpiredPartitions,
} from '../../shared/operations/partitions/partitioned-tables.ts';
import { deleteExpired } from '../../shared/operations/retention/delete-expired.ts';
import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import { eraseCaseBuyers } from '../../shared/sales/brokerage/case-lifecycle.ts';
import {
  eraseAbandonedCheckoutBuyers,
  expireCheckoutSessions,
} from '../../shared/sales/checkout/checkout-lifecycle.ts';
import { eraseOfferBuyers, expireOffers } from '../../shared/sales/offers/offer-lifecycle.ts';
import { expireQuotes } from '../../shared/sales/quotes/quote-lifecycle.ts';
import { expireRenewals } from '../../shared/sales/renewals/read-renewals.ts';
import { pruneSettlementRuns } from '../../shared/settlement/statements/run-settlements.ts';
import type { ScheduledTask } from '../runtime/job-handler.ts';
import { runInBatches, sweepTask } from './sweep-task.ts';

/** Marks expired quotes. */
export const expireQuotesTask = sweepTask({
  name: 'expire-quotes',
  everyMs: MINUTE,
  deadlineMs: MINUTE,
  sweep: expireQuotes,
});

/** Ends offers that nobody answered in time, and those on domains that are no longer for sale. */
export const expireOffersTask = sweepTask({
  name: 'expire-offers',
  everyMs: MINUTE,
  deadlineMs: MINUTE,
  sweep: expireOffers,
});

/** Marks expired checkout sessions. */
export const expireCheckoutSessionsTask = sweepTask({
  name: 'expire-checkout-sessions',
  everyMs: 10 * MINUTE,
  deadlineMs: 5 * MINUTE,
  sweep: expireCheckoutSessions,
});

/** Marks renewals that were not paid in time. */
export const expireRenewalsTask = sweepTask({
  name: 'expire-renewals',
  everyMs: 10 * MINUTE,
  deadlineMs: 5 * MINUTE,
  sweep: expireRenewals,
});

/** Drops weekly partitions of webhook deliveries and attempts after their retention, and deletes their pings. */
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

/** Deletes settlement runs that ended long ago; the statements they closed stay. */
export const pruneSettlementRunsTask = sweepTask({
  name: 'prune-settlement-runs',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  sweep: pruneSettlementRuns,
  // Each run has a row for every partner.
  batch: 20,
});

/** Erases the buyers of checkouts, offers and brokerage cases that came to nothing. */
export const eraseBuyersTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'erase-buyers',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  async run({ runtime, signal }) {
    return {
      checkouts: await runInBatches(signal, (limit) =>
        eraseAbandonedCheckoutBuyers(runtime, limit),
      ),
      offers: await runInBatches(signal, (limit) => eraseOfferBuyers(runtime, limit)),
      cases: await runInBatches(signal, (limit) => eraseCaseBuyers(runtime, limit)),
    };
  },
};

/** Deletes rows past their retention in `db/retention.ts`. */
export const deleteExpiredTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'delete-expired',
  everyMs: 10 * MINUTE,
  deadlineMs: 9 * MINUTE,
  run: ({ runtime, signal }) => deleteExpired(runtime, signal),
};

/** Creates partitions in advance, and drops those past their retention in `db/retention.ts`. */
export const keepPartitionsTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'keep-partitions',
  everyMs: HOUR,
  deadlineMs: 5 * MINUTE,
  async run({ runtime }) {
    const { db, clock } = runtime;
    return {
      made: await addAllPartitions(db.knex, clock.now()),
      dropped: await dropExpiredPartitions(runtime),
    };
  },
};
