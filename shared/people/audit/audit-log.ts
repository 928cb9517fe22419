import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, DAY } from '../../platform/clock.ts';
import type { PartitionedLog } from '../../platform/database/partitioned-log.ts';
import { firstNumberAt } from '../../platform/ids.ts';
import { idOf, type ListPage, type ListSort, type Page, readPage } from '../../platform/page.ts';
import * as store from './audit-log.store.ts';

/** Who did what, a partition a month; all of them stay. */
export const AUDIT_LOG: PartitionedLog = {
  table: 'audit_log',
  key: 'id',
  firstIdAt: firstNumberAt,
  period: 'month',
};

/** What an action changed, as it was and as it is; only what matters of it, and never a secret. */
export type Snapshot = Readonly<Record<string, unknown>>;

export interface AuditEntry {
  /** Who acted: a user's id, `cli:<account>`, `seed`, `worker`. */
  actor: string;
  /** What was done, as the command is called: `credential:revoke`. */
  action: string;
  /** The id of what it was done to. */
  subject: string;
  before?: Snapshot | null;
  after?: Snapshot | null;
}

const SECRET_NAME = /secret|password|token|ciphertext|hash/i;

/**
 * Writes who did what in the transaction that does it. Without a subject nothing is written, by the same statement: for
 * callers who must not learn whether there is one. @throws Error when a snapshot names a secret
 */
export async function recordAudit(
  uow: UnitOfWork,
  entry: Omit<AuditEntry, 'subject'> & { subject: string | null },
): Promise<void> {
  const before = entry.before ?? null;
  const after = entry.after ?? null;
  assertNoSecrets(before);
  assertNoSecrets(after);
  await store.insertAudit.send(uow.pipeline, { ...entry, before, after, at: uow.realNow });
}

/** How often something was ever done to a subject, in the eyes of a transaction. */
export async function timesDone(
  { sql }: UnitOfWork,
  { action, subject }: Pick<AuditEntry, 'action' | 'subject'>,
): Promise<number> {
  return (await store.countAudited.one(sql, { action, subject })).count;
}

/** The trail is read by many and kept for long, so a secret in it is a bug that must not pass unseen. */
function assertNoSecrets(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, child] of Object.entries(value)) {
    if (SECRET_NAME.test(name)) throw new Error(`"${name}" must not be in the audit trail`);
    assertNoSecrets(child);
  }
}

/**
 * The same database, but every transaction also records who changed what: for commands that know nothing
 * of who is asking. `snapshot` is taken before and after the work, inside the transaction; without one, `after` says
 * what it was about.
 */
export function withAuditTrail(
  { db }: { db: Database },
  entry: Pick<AuditEntry, 'actor' | 'action' | 'subject' | 'after'> & {
    snapshot?(uow: UnitOfWork): Promise<Snapshot | null | undefined>;
  },
): Database {
  const { snapshot, ...who } = entry;
  const recorded =
    <T>(work: (uow: UnitOfWork) => Promise<T>) =>
    async (uow: UnitOfWork): Promise<T> => {
      const before = await snapshot?.(uow);
      const result = await work(uow);
      const after = snapshot ? await snapshot(uow) : who.after;
      await recordAudit(uow, { ...who, before: before ?? null, after: after ?? null });
      return result;
    };
  return {
    ...db,
    transact: (work) => db.transact(recorded(work)),
    transactFor: (whom, work) => db.transactFor(whom, recorded(work)),
    inTime: (owner, aheadMs) => withAuditTrail({ db: db.inTime(owner, aheadMs) }, entry),
  };
}

/** Further than an entry's time, which is our clock's, and that in its id, which is the clock of Postgres, are apart. */
const ID_SLACK_MS = DAY;

/** A page of the audit trail, newest first; of one subject, or of all. */
export function listAudit(
  { db }: { db: Database },
  subject: string | null,
  { sort, ...page }: ListPage<ListSort, number>,
): Promise<Page<store.AuditLogEntry, number>> {
  const ids = {
    idFrom: page.from && Number(firstNumberAt(addMs(page.from, -ID_SLACK_MS))),
    idTo: page.to && Number(firstNumberAt(addMs(page.to, ID_SLACK_MS))),
  };
  const read = (limit: number) =>
    store.selectAudit[sort].all(db.knex, { ...page, ...ids, subject, limit });
  return readPage(page.limit, read, idOf);
}
