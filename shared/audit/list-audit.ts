import type { Database } from '../platform/db.ts';
import * as store from './audit.store.ts';

export type { AuditLogEntry } from './audit.store.ts';

/** The audit trail, newest first; of one subject, or of all. `next` goes on below the last of the page. */
export async function listAudit(
  { db }: { db: Database },
  filter: store.AuditFilter,
): Promise<{ entries: store.AuditLogEntry[]; next: number | null }> {
  const found = await store.listAudit(db.knex, { ...filter, limit: filter.limit + 1 });
  const entries = found.slice(0, filter.limit);
  return { entries, next: found.length > filter.limit ? (entries.at(-1)?.id ?? null) : null };
}
