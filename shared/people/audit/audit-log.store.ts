import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  bigint,
  jsonb,
  nullable,
  type ParamsOf,
  type RowOf,
  text,
  timestamptz,
} from '../../platform/database/sql-types.ts';

const AUDIT = {
  actor: text,
  action: text,
  subject: text,
  before: nullable(jsonb<unknown>()),
  after: nullable(jsonb<unknown>()),
  at: timestamptz,
};

/** Writes who did what. */
export const insertAudit = defineStatement({
  params: AUDIT,
  text: `insert into audit_log (actor, action, subject, before, after, at)
    values (:actor, :action, :subject, :before, :after, :at)`,
});

const AUDIT_LOG_ENTRY = {
  ...AUDIT,
  id: bigint,
  /** The address of the user who acted; null for a command or a worker. */
  email: nullable(text),
};
/** Who did what, as it is read. */
export type AuditLogEntry = RowOf<typeof AUDIT_LOG_ENTRY>;

const FILTER = { subject: nullable(text), before: nullable(bigint), limit: bigint };
/** A page of the audit trail: below the entry `before`, of one subject; null for the newest, and for any. */
export type AuditFilter = ParamsOf<typeof FILTER>;

/** What was done below `before`, newest first; to one subject or to any. */
export const selectAudit = defineStatement({
  params: FILTER,
  row: AUDIT_LOG_ENTRY,
  text: `select a.id, a.at, a.actor, a.action, a.subject, a.before, a.after, u.email
    from audit_log a left join users u on u.id = a.actor
    where (:subject::text is null or a.subject = :subject)
      and (:before::bigint is null or a.id < :before)
    order by a.id desc limit :limit`,
});
