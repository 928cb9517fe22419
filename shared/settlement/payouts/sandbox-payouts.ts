import type { Database } from '../../messaging/unit-of-work/database.ts';
import { addMs, type Clock, DAY } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { ServiceError } from '../../platform/errors.ts';
import { selectPendingSandbox } from './payout.store.ts';
import { markPayoutPaid } from './payout-outcome.ts';

/** The bank's processing time in a sandbox whose clock is moved. Otherwise staff record when a payout was paid. */
const BANK_MS = 2 * DAY;
const ACTOR = 'sandbox-clock';
const EVER = new Date(0);
const MOST = 1_000;

/** Pays the payouts of a partner's sandbox that are two days old by its clock. */
export async function paySandboxPayouts(
  deps: { db: Database; clock: Clock; config: Config },
  partnerId: string,
): Promise<void> {
  const until = addMs(deps.clock.now(), -BANK_MS);
  const pending = { partnerId, after: EVER, limit: MOST };
  for (const { id, createdAt } of await selectPendingSandbox.all(deps.db.knex, pending)) {
    if (createdAt > until) return;
    try {
      await markPayoutPaid(deps, ACTOR, { payoutId: id, reference: `SANDBOX-${id}` });
    } catch (error) {
      // The payout is held: a buyer disputes the payment, or the partner is suspended.
      if (!(error instanceof ServiceError && error.code === 'conflict')) throw error;
    }
  }
}

/** Returns when the next payout of a partner's sandbox after an instant is paid, by its clock; null if none. */
export async function nextSandboxPayout(
  sql: Sql,
  partnerId: string,
  after: Date,
): Promise<Date | null> {
  const made = { partnerId, after: addMs(after, -BANK_MS), limit: 1 };
  const next = await selectPendingSandbox.first(sql, made);
  return next ? addMs(next.createdAt, BANK_MS) : null;
}
