import type { Sql, Tx } from '../../platform/database/postgres.ts';

export interface AuditRow {
  actor: string;
  action: string;
  subject: string;
  before: unknown;
  after: unknown;
  at: Date;
}

export async function insertAudit(tx: Tx, row: AuditRow): Promise<void> {
  await tx('audit_log').insert({
    ...row,
    before: row.before === null ? null : JSON.stringify(row.before),
    after: row.after === null ? null : JSON.stringify(row.after),
  });
}

export interface AuditLogEntry extends AuditRow {
  id: number;
  /** The address of the user who acted; null for a command or a worker. */
  email: string | null;
}

export interface AuditFilter {
  subject: string | null;
  before: number | null;
  limit: number;
}

/** What was done below `before`, newest first; to one subject or to any. */
export async function listAudit(sql: Sql, filter: AuditFilter): Promise<AuditLogEntry[]> {
  const { rows } = await sql.raw(
    `select a.id, a.at, a.actor, a.action, a.subject, a.before, a.after, u.email
     from audit_log a left join users u on u.id = a.actor
     where ${filter.subject === null ? 'true' : 'a.subject = :subject'}
       and ${filter.before === null ? 'true' : 'a.id < :before'}
     order by a.id desc limit :limit`,
    { ...filter },
  );
  return rows;
}
