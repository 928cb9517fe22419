import { settlePaymentStep } from '../../shared/checkout/settle-payment-step.ts';
import { reconcilePayments } from '../../shared/payments/reconcile-payments.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import type { TickRow } from '../runtime/row.ts';

/** Asks after payments whose outcome nobody told us. */
export const reconcilePaymentsTick: TickRow = {
  queue: 'payments',
  name: 'reconcile-payments',
  everyMs: MINUTE,
  deadlineMs: MINUTE,
  tick: ({ runtime, signal }) => reconcilePayments(runtime, settlePaymentStep, signal),
};
