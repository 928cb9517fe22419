import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  integer,
  jsonb,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { MemberRole } from '../members/member.ts';
import type { Role, StaffRole } from '../users/user.ts';

const USER_SUMMARY = {
  id: text,
  email: text,
  role: textOf<Role>(),
  staffRole: nullable(textOf<StaffRole>()),
  createdAt: timestamptz,
  disabledAt: nullable(timestamptz),
  /** Open sessions: browsers, and bearer tokens of the operations API. */
  sessions: integer,
  /** The partners that the user works for, by name. */
  partners: jsonb<readonly { partnerId: string; name: string; role: MemberRole }[]>(),
  /** The number of OAuth clients with a grant of the user and a valid token. */
  clients: integer,
};
/** An account as staff see it. */
export type UserSummary = RowOf<typeof USER_SUMMARY>;

const COLUMNS = `
  u.id, u.email, u.role, u.staff_role as "staffRole",
  u.created_at as "createdAt", u.disabled_at as "disabledAt",
  (select count(*)::int from user_sessions s
    where s.user_id = u.id and s.session_version = u.session_version and s.expires_at > :now
  ) as sessions,
  (select coalesce(jsonb_agg(jsonb_build_object('partnerId', p.id, 'name', p.name, 'role', m.role)
      order by p.name, p.id), '[]')
    from partner_members m join partners p on p.id = m.partner_id where m.user_id = u.id
  ) as partners,
  (select count(distinct g.client_id)::int from oauth_grants g
    where g.user_id = u.id and g.revoked_at is null and exists (
      select from oauth_tokens t
      where t.grant_id = g.id and t.consumed_at is null and t.expires_at > :now)
  ) as clients`;

/** A filter for accounts; null matches all. */
export interface UserFilter {
  /** A part of the address. */
  email: string | null;
  role: Role | null;
  disabled: boolean | null;
}

/** Selects accounts with ids below `before`, newest first. */
export const selectUserSummaries = defineStatement({
  params: {
    email: nullable(text),
    role: nullable(textOf<Role>()),
    disabled: nullable(boolean),
    before: nullable(text),
    limit: bigint,
    now: timestamptz,
  },
  row: USER_SUMMARY,
  text: `select ${COLUMNS} from users u
    where (:before::text is null or u.id < :before)
      and (:email::text is null or position(:email in u.email) > 0)
      and (:role::text is null or u.role = :role)
      and (:disabled::boolean is null or (u.disabled_at is not null) = :disabled)
    order by u.id desc limit :limit`,
});

/** Selects one account. */
export const selectUserSummary = defineStatement({
  params: { id: text, now: timestamptz },
  row: USER_SUMMARY,
  text: `select ${COLUMNS} from users u where u.id = :id`,
});

const AUTHORIZED_CLIENT = {
  id: text,
  name: nullable(text),
  scopes: arrayOf(text),
  since: timestamptz,
  until: timestamptz,
};
/** An OAuth client that a user authorized, and when its access ends unless renewed. */
export type AuthorizedClient = RowOf<typeof AUTHORIZED_CLIENT>;

/** Selects the OAuth clients that a user authorized and that have a valid token. */
export const selectAuthorizedClients = defineStatement({
  params: { userId: text, now: timestamptz },
  row: AUTHORIZED_CLIENT,
  text: `select c.id, c.metadata ->> 'client_name' as name, min(g.created_at) as since,
      max(t.expires_at) as until, array_agg(distinct scope order by scope) as scopes
    from oauth_grants g join oauth_clients c on c.id = g.client_id
      join oauth_tokens t on t.grant_id = g.id, unnest(t.scopes) as scope
    where g.user_id = :userId and g.revoked_at is null
      and t.consumed_at is null and t.expires_at > :now
    group by c.id order by c.id`,
});
