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

/** Writes who did what; where there is no subject nothing, by the same statement. */
export const insertAudit = defineStatement({
  params: { ...AUDIT, subject: nullable(text) },
  text: `insert into audit_log (actor, action, subject, before, after, at)
    select :actor, :action, :subject, :before, :after, :at where :subject::text is not null`,
});

/** How often something was done to a subject. */
export const countAudited = defineStatement({
  params: { action: text, subject: text },
  row: { count: integer },
  text: `select count(*)::int as count from audit_log where subject = :subject and action = :action`,
});

/**
 * Who may control these accounts: anyone who opened or invited them or changed their password, factor or role since an
 * instant, and whoever chose their present password, however long ago.
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
  /** The address of the user who acted; null for a command or a worker. */
  email: nullable(text),
};
/** Who did what, as it is read. */
export type AuditLogEntry = RowOf<typeof AUDIT_LOG_ENTRY>;

const FILTER = {
  subject: nullable(text),
  from: nullable(timestamptz),
  to: nullable(timestamptz),
  /** Bounds of the ids of that time, by which the list is read. */
  idFrom: nullable(bigint),
  idTo: nullable(bigint),
  after: nullable(bigint),
  limit: bigint,
};

/** What was done to one subject or to any, after the entry `after`; a stretch of time is one of the ids. */
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
