import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  integer,
  jsonb,
  nullable,
  type RowOf,
  text,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { LIST_SORTS } from '../../platform/page.ts';

const AUDIT = {
  actor: text,
  action: text,
  subject: text,
  before: nullable(jsonb<unknown>()),
  after: nullable(jsonb<unknown>()),
  at: timestamptz,
};

/** Inserts an audit entry. Without a subject, the same statement inserts nothing. */
export const insertAudit = defineStatement({
  params: { ...AUDIT, subject: nullable(text) },
  text: `insert into audit_log (actor, action, subject, before, after, at)
    select :actor, :action, :subject, :before, :after, :at where :subject::text is not null`,
});

/** Counts how often an action was done to a subject. */
export const countAudited = defineStatement({
  params: { action: text, subject: text },
  row: { count: integer },
  text: `select count(*)::int as count from audit_log where subject = :subject and action = :action`,
});

/**
 * Selects who may control these accounts: anyone who opened or invited them or changed their password, second factor
 * or role since an instant, and whoever set their current password, however long ago.
 */
export const selectHolders = defineStatement({
  params: { subjects: arrayOf(text), since: timestamptz },
  row: { actor: text },
  text: `select actor from audit_log
      where subject = any(:subjects) and actor <> subject and at >= :since
        and action in ('user:create', 'user:set-password', 'user:second-factor-added',
          'user:second-factor-removed', 'staff:set-role')
    union
    select a.actor from audit_log a join users u on a.subject = 'staff' and a.after ->> 'email' = u.email
      where u.id = any(:subjects) and a.action = 'staff:invite' and a.at >= :since and a.actor <> u.id
    union
    select p.actor from unnest(:subjects::text[]) as s (id) cross join lateral (
      select actor from audit_log
      where subject = s.id
        and action in ('user:create', 'user:set-password', 'user:reset', 'user:change-password')
      order by id desc limit 1) p
    where p.actor <> s.id`,
});

const AUDIT_LOG_ENTRY = {
  ...AUDIT,
  id: bigint,
  /** The email address of the user who acted; null for a command or a worker. */
  email: nullable(text),
};
/** An audit entry with its actor's address. */
export type AuditLogEntry = RowOf<typeof AUDIT_LOG_ENTRY>;

const FILTER = {
  subject: nullable(text),
  from: nullable(timestamptz),
  to: nullable(timestamptz),
  /** Id bounds for the period, with which the list is read. */
  idFrom: nullable(bigint),
  idTo: nullable(bigint),
  after: nullable(bigint),
  limit: bigint,
};

/** Selects a page of audit entries, of one subject or any, that follow the entry `after`. A period is an id range. */
export const selectAudit = variantsOf(LIST_SORTS, (sort) =>
  defineStatement({
    params: FILTER,
    row: AUDIT_LOG_ENTRY,
    text: `select a.id, a.at, a.actor, a.action, a.subject, a.before, a.after, u.email
    from audit_log a left join users u on u.id = a.actor
    where (:subject::text is null or a.subject = :subject)
      and (:from::timestamptz is null or a.at >= :from) and (:to::timestamptz is null or a.at < :to)
      and (:idFrom::bigint is null or a.id >= :idFrom) and (:idTo::bigint is null or a.id < :idTo)
      and (:after::bigint is null or a.id ${sort === 'newest' ? '<' : '>'} :after)
    order by a.id ${sort === 'newest' ? 'desc' : 'asc'} limit :limit`,
  }),
);
