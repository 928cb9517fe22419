import type { Clock } from '../platform/clock.ts';
import type { Database, Tx } from '../platform/db.ts';
import { type AuditEntry, recordAudit, type Snapshot } from './record-audit.ts';

/**
 * The same database, but every transaction also records who changed what: for commands that know nothing
 * of who is asking. `snapshot` is taken before and after the work, inside the transaction.
 */
export function withAuditTrail(
  { db, clock }: { db: Database; clock: Clock },
  entry: Pick<AuditEntry, 'actor' | 'action' | 'subject'> & {
    snapshot(tx: Tx): Promise<Snapshot | null | undefined>;
  },
): Database {
  const { snapshot, ...who } = entry;
  const recorded =
    <T>(work: (tx: Tx) => Promise<T>) =>
    async (tx: Tx): Promise<T> => {
      const before = await snapshot(tx);
      const result = await work(tx);
      const after = await snapshot(tx);
      await recordAudit(tx, { ...who, before: before ?? null, after: after ?? null }, clock.now());
      return result;
    };
  return {
    ...db,
    transact: (work) => db.transact(recorded(work)),
    transactFor: (whom, work) => db.transactFor(whom, recorded(work)),
  };
}
