import { recordEvents } from '../events/record-events.ts';
import type { Tx } from '../platform/db.ts';
import { conflict, invalid } from '../platform/errors.ts';
import { type Cents, formatMoney, MAX_PRICE_CENTS, Money } from '../platform/money.ts';
import type { Runtime } from '../runtime.ts';
import type { BrokerageCase } from './brokerage-case.ts';
import { caseEvent } from './case.events.ts';
import { updateBudget } from './case.store.ts';
import { canBuyerChange } from './case-states.ts';
import { lockCaseById, moveCase } from './move-case.ts';

/**
 * The buyer of a self-serve case raises its budget (minor units). The budget that stands already is no error
 * and changes nothing: a form may be sent twice.
 * @throws not_found, conflict (invalid_state), validation_error for a budget below the present one
 */
export async function raiseBudget(
  { db, clock }: Pick<Runtime, 'db' | 'clock'>,
  caseId: string,
  budgetCents: Cents,
): Promise<BrokerageCase> {
  return db.transactFor(caseId, async (tx) => {
    const before = await lockForBuyer(tx, caseId);
    const { amount, currency } = before.budget;
    if (budgetCents === amount) return before;
    const refuse = (than: string, bound: Money) =>
      invalid([{ path: '/budget', message: `must be ${than} ${formatMoney(bound)}` }]);
    if (budgetCents < amount) throw refuse('more than', before.budget);
    if (budgetCents > MAX_PRICE_CENTS) {
      throw refuse('at most', new Money(MAX_PRICE_CENTS, currency));
    }
    const now = clock.now();
    const raised = await updateBudget(tx, before, new Money(budgetCents, currency), now);
    await recordEvents(tx, raised, [caseEvent('brokerage.case_updated', raised)], now);
    return raised;
  });
}

/**
 * The buyer of a self-serve case gives it up. A case that is cancelled already stays so, without an error.
 * @throws not_found, conflict (invalid_state)
 */
export async function cancelCase(
  runtime: Pick<Runtime, 'db' | 'clock' | 'config'>,
  caseId: string,
): Promise<BrokerageCase> {
  return runtime.db.transactFor(caseId, async (tx) => {
    const before = await lockCaseById(tx, caseId);
    if (before.tier === 'self_serve' && before.status === 'CANCELLED') return before;
    await lockForBuyer(tx, caseId);
    return moveCase(tx, runtime, { caseId, to: 'CANCELLED', by: 'buyer' });
  });
}

async function lockForBuyer(tx: Tx, caseId: string): Promise<BrokerageCase> {
  const found = await lockCaseById(tx, caseId);
  if (canBuyerChange(found)) return found;
  throw conflict(
    'invalid_state',
    found.tier === 'managed'
      ? 'Your broker makes changes to this case.'
      : `The case is ${found.status} and cannot be changed any more.`,
  );
}
