import type { Tx } from '../platform/db.ts';

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
