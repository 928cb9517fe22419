import type { Role } from '../../people/users/user.ts';
import type { Sql } from '../../platform/database/postgres.ts';

/** An account as the staff sees it. */
export interface UserSummary {
  id: string;
  email: string;
  role: Role;
  createdAt: Date;
  disabledAt: Date | null;
  /** Sessions that are open now: browsers and bearer tokens of ops. */
  sessions: number;
  /** OAuth clients that it allowed, with a token that is good now. */
  clients: number;
}

export interface UserFilter {
  /** A part of the address. */
  email: string | null;
  role: Role | null;
  disabled: boolean | null;
}

const USER_SUMMARY = `
  u.id, u.email, u.role, u.created_at as "createdAt", u.disabled_at as "disabledAt",
  (select count(*)::int from user_sessions s
    where s.user_id = u.id and s.session_version = u.session_version and s.expires_at > :now
  ) as sessions,
  (select count(distinct g.client_id)::int from oauth_grants g
    where g.user_id = u.id and g.revoked_at is null and exists (
      select from oauth_tokens t
      where t.grant_id = g.id and t.consumed_at is null and t.expires_at > :now)
  ) as clients`;

/** Below the id `before`, newest first. */
export async function selectUserSummaries(
  sql: Sql,
  page: UserFilter & { before: string | null; limit: number; now: Date },
): Promise<UserSummary[]> {
  const conditions = [
    page.before !== null && 'u.id < :before',
    page.email !== null && 'position(:email in u.email) > 0',
    page.role !== null && 'u.role = :role',
    page.disabled !== null && `u.disabled_at is ${page.disabled ? 'not null' : 'null'}`,
  ].filter((condition) => condition !== false);
  const { rows } = await sql.raw(
    `select ${USER_SUMMARY} from users u where ${['true', ...conditions].join(' and ')}
     order by u.id desc limit :limit`,
    { ...page },
  );
  return rows;
}

export async function selectUserSummary(
  sql: Sql,
  id: string,
  now: Date,
): Promise<UserSummary | undefined> {
  const { rows } = await sql.raw(`select ${USER_SUMMARY} from users u where u.id = :id`, {
    id,
    now,
  });
  return rows[0];
}

/** A client that a user allowed, and until when it gets on without asking again. */
export interface AuthorizedClient {
  id: string;
  name: string | null;
  scopes: readonly string[];
  since: Date;
  until: Date;
}

export async function selectAuthorizedClients(
  sql: Sql,
  userId: string,
  now: Date,
): Promise<AuthorizedClient[]> {
  const { rows } = await sql.raw(
    `select c.id, c.metadata ->> 'client_name' as name, min(g.created_at) as since,
       max(t.expires_at) as until, array_agg(distinct scope order by scope) as scopes
     from oauth_grants g join oauth_clients c on c.id = g.client_id
       join oauth_tokens t on t.grant_id = g.id, unnest(t.scopes) as scope
     where g.user_id = :userId and g.revoked_at is null
       and t.consumed_at is null and t.expires_at > :now
     group by c.id order by c.id`,
    { userId, now },
  );
  return rows;
}
