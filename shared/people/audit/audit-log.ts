import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, DAY } from '../../platform/clock.ts';
import type { PartitionedLog } from '../../platform/database/partitioned-log.ts';
import { firstNumberAt } from '../../platform/ids.ts';
import { idOf, type ListPage, type ListSort, type Page, readPage } from '../../platform/page.ts';
import * as store from './audit-log.store.ts';

/** The audit trail, in monthly partitions that are never dropped. */
export const AUDIT_LOG: PartitionedLog = {
  table: 'audit_log',
  key: 'id',
  firstIdAt: firstNumberAt,
  period: 'month',
};

/** The relevant fields of what an action changed, before or after it. Never contains a secret. */
export type Snapshot = Readonly<Record<string, unknown>>;

export interface AuditEntry {
  /** Who acted: a user id, `cli:<account>`, `seed`, `worker`. */
  actor: string;
  /** The name of the command, such as `credential:revoke`. */
  action: string;
  /** The id of the changed object. */
  subject: string;
  before?: Snapshot | null;
  after?: Snapshot | null;
}

const SECRET_NAME = /secret|password|token|ciphertext|hash/i;

/**
 * Records an audit entry in the transaction of the action. Without a subject, the same statement writes nothing, for
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

/** Returns how often an action was ever done to a subject, as the transaction sees it. */
export async function timesDone(
  { sql }: UnitOfWork,
  { action, subject }: Pick<AuditEntry, 'action' | 'subject'>,
): Promise<number> {
  return (await store.countAudited.one(sql, { action, subject })).count;
}

/** Throws for a secret: many people read the trail, and it is kept for long, so this bug must not go unnoticed. */
function assertNoSecrets(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, child] of Object.entries(value)) {
    if (SECRET_NAME.test(name)) throw new Error(`"${name}" must not be in the audit trail`);
    assertNoSecrets(child);
  }
}

/**
 * Returns the same database, but every transaction also records an audit entry, for commands that do not know the
 * caller. `snapshot` is taken before and after the work, inside the transaction. Without one, the entry has `after`.
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

/** The maximum difference between an entry's time (our clock) and the time in its id (the clock of Postgres). */
const ID_SLACK_MS = DAY;

/** Lists a page of the audit trail, of one subject or of all. */
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
