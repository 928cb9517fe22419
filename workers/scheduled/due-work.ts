import { failDeadChunks } from '../../shared/domains/bulk/process-chunk.ts';
import { reconcilePayments } from '../../shared/money/payments/payment-updates.ts';
import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import { PAYMENT_NEWS } from '../../shared/sales/payment-news/apply-payment-news.ts';
import { renewByCards } from '../../shared/sales/renewals/renew-by-card.ts';
import { closeDuePeriods } from '../../shared/settlement/statements/run-settlements.ts';
import type { ScheduledTask } from '../runtime/job-handler.ts';

/** Starts the settlement of every period that has ended. */
export const closeDuePeriodsTask: ScheduledTask = {
  queue: 'settlements',
  name: 'close-due-periods',
  everyMs: 5 * MINUTE,
  deadlineMs: MINUTE,
  run: ({ runtime }) => closeDuePeriods(runtime),
};

/** Asks providers about payments whose outcome was never reported. */
export const reconcilePaymentsTask: ScheduledTask = {
  queue: 'payments',
  name: 'reconcile-payments',
  everyMs: MINUTE,
  deadlineMs: MINUTE,
  run: ({ runtime, signal }) => reconcilePayments(runtime, PAYMENT_NEWS.state, signal),
};

const MAX_BULK_JOBS = 1_000;

/** Ends bulk jobs that have a dead chunk. */
export const endDeadChunksTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'end-dead-chunks',
  everyMs: 5 * MINUTE,
  deadlineMs: 2 * MINUTE,
  run: ({ runtime }) => failDeadChunks(runtime, MAX_BULK_JOBS),
};

/** Renews domains bought here, and charges their owners' stored cards. */
export const renewByCardsTask: ScheduledTask = {
  queue: 'payments',
  name: 'renew-by-cards',
  everyMs: HOUR,
  deadlineMs: 30 * MINUTE,
  run: ({ runtime, signal }) => renewByCards(runtime, signal),
};
