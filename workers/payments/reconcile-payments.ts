import { applyPaymentState } from '../../shared/checkout/settle-payment-step.ts';
import { reconcilePayments } from '../../shared/payments/reconcile-payments.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import type { ScheduledTask } from '../runtime/row.ts';

/** Asks after payments whose outcome nobody told us. */
export const reconcilePaymentsTask: ScheduledTask = {
  queue: 'payments',
  name: 'reconcile-payments',
  everyMs: MINUTE,
  deadlineMs: MINUTE,
  tick: ({ runtime, signal }) => reconcilePayments(runtime, applyPaymentState, signal),
};
