import type { Runtime } from '../runtime.ts';
import { claimDueChecks } from './payment.store.ts';
import type { Payment } from './payment.ts';
import { providerOf } from './provider-of.ts';
import type { ApplyPaymentState } from './settle-step.ts';

/** Payments that one round asks after; the next round goes on. */
const BATCH = 50;

type Scope = Pick<Runtime, 'db' | 'clock' | 'config' | 'payments' | 'log'>;

/**
 * Asks the provider after payments that nobody has told us of for a while, and settles what it says. One
 * that can't be asked comes up again like the others. Returns how many were asked after.
 */
export async function reconcilePayments(
  runtime: Scope,
  settle: ApplyPaymentState,
  signal: AbortSignal,
): Promise<{ asked: number; unanswered: number }> {
  const due = await claimDueChecks(runtime.db.knex, runtime.clock.now(), BATCH);
  let [asked, unanswered] = [0, 0];
  for (const payment of due) {
    if (signal.aborted) break;
    asked += 1;
    if (!(await ask(runtime, settle, payment))) unanswered += 1;
  }
  return { asked, unanswered };
}

async function ask(runtime: Scope, settle: ApplyPaymentState, payment: Payment): Promise<boolean> {
  try {
    const provider = providerOf(runtime.payments, payment);
    const step = await provider.read(payment.providerReference ?? payment.id, {
      paymentId: payment.id,
      amount: payment.amount,
    });
    await settle(runtime, payment.id, step);
    return true;
  } catch (error) {
    runtime.log.warn({ err: error, payment_id: payment.id }, 'payment not reconciled');
    return false;
  }
}
