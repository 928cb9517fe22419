import { prepared, type Sql } from '../../platform/database/postgres.ts';
import type { DomainChange, DomainFacts } from './registrar.ts';

export interface SandboxPush {
  status: 'pending' | 'completed' | 'failed' | 'cancelled';
  reason: string | null;
}

/** Nothing happens when the reference is known. */
export async function insertPush(
  sql: Sql,
  push: {
    clientReference: string;
    domain: string;
    status: SandboxPush['status'];
    acceptedAt: Date;
    readyAt: Date;
  },
): Promise<void> {
  await sql.raw(
    `insert into sandbox_registrar_pushes (client_reference, domain, status, accepted_at, ready_at)
     values (:clientReference, :domain, :status, :acceptedAt, :readyAt)
     on conflict (client_reference) do nothing`,
    push,
  );
}

/** The domain of a push that waited long enough and has no outcome yet. */
export async function findDuePush(
  sql: Sql,
  clientReference: string,
  now: Date,
): Promise<string | undefined> {
  const { rows } = await sql.raw(
    `select domain from sandbox_registrar_pushes
     where client_reference = :clientReference and status = 'pending' and ready_at <= :now`,
    { clientReference, now },
  );
  return rows[0]?.domain;
}

/** Ends a pending push; one that has ended stays as it is. */
export async function endPush(sql: Sql, clientReference: string, end: SandboxPush): Promise<void> {
  await sql.raw(
    `update sandbox_registrar_pushes set status = :status, reason = :reason
     where client_reference = :clientReference and status = 'pending'`,
    { clientReference, ...end },
  );
}

export async function findPush(
  sql: Sql,
  clientReference: string,
): Promise<SandboxPush | undefined> {
  const { rows } = await sql.raw(
    `select status, reason from sandbox_registrar_pushes where client_reference = :clientReference`,
    { clientReference },
  );
  return rows[0];
}

export async function deleteEndedPushes(sql: Sql, before: Date, limit: number): Promise<number> {
  const result = await sql.raw(
    `delete from sandbox_registrar_pushes where client_reference in (
       select client_reference from sandbox_registrar_pushes
       where status <> 'pending' and ready_at < :before
       order by ready_at limit :limit for update skip locked)`,
    { before, limit },
  );
  return result.rowCount ?? 0;
}

const COLUMNS = `d.domain, d.nameservers, d.locked, d.auto_renew as "autoRenew", d.privacy,
  d.expires_at as "expiresAt", d.version`;

/** Takes domains that are new into the books, all alike; known ones stay as they are. */
export async function insertDomains(
  sql: Sql,
  domains: readonly string[],
  facts: { nameservers: readonly string[]; expiresAt: Date },
): Promise<void> {
  await sql.raw(
    `insert into sandbox_registrar_domains
       (domain, nameservers, locked, auto_renew, privacy, expires_at, version)
     select d, :nameservers, true, false, true, :expiresAt, 1
     from unnest(:domains::text[]) d order by d collate "C"
     on conflict (domain) do nothing`,
    { domains: [...domains], nameservers: [...facts.nameservers], expiresAt: facts.expiresAt },
  );
}

export async function findDomains(sql: Sql, domains: readonly string[]): Promise<DomainFacts[]> {
  const { rows } = await prepared(
    sql,
    `select ${COLUMNS} from sandbox_registrar_domains d where d.domain = any(:domains)`,
    { domains: [...domains] },
  );
  return rows;
}

/**
 * Makes the change and notes its reference, in one statement; undefined, and no change, when the reference
 * was noted before or the domain would be renewed beyond `latestExpiry`.
 */
export async function makeChange(
  sql: Sql,
  request: { clientReference: string; domain: string; change: DomainChange },
  at: { now: Date; latestExpiry: Date },
): Promise<DomainFacts | undefined> {
  const { change } = request;
  const enabled = 'enabled' in change ? change.enabled : null;
  const { rows } = await prepared(
    sql,
    `with held as (
       select domain from sandbox_registrar_domains
       where domain = :domain and (:years = 0
         or (expires_at at time zone 'UTC' + make_interval(years => :years)) at time zone 'UTC' <= :latestExpiry)
       for update
     ), noted as (
       insert into sandbox_registrar_effects (client_reference, domain, change, made_at)
       select :reference, domain, :change::jsonb, :now::timestamptz from held
       on conflict (client_reference) do nothing
       returning domain
     )
     update sandbox_registrar_domains d set
       nameservers = coalesce(:nameservers::text[], d.nameservers),
       locked = coalesce(:locked, d.locked),
       auto_renew = coalesce(:autoRenew, d.auto_renew),
       privacy = coalesce(:privacy, d.privacy),
       expires_at = (d.expires_at at time zone 'UTC' + make_interval(years => :years)) at time zone 'UTC',
       version = d.version + 1
     from noted where d.domain = noted.domain
     returning ${COLUMNS}`,
    {
      reference: request.clientReference,
      domain: request.domain,
      change: JSON.stringify(change),
      now: at.now,
      latestExpiry: at.latestExpiry,
      years: change.kind === 'renew' ? change.years : 0,
      nameservers: change.kind === 'nameservers' ? [...change.nameservers] : null,
      locked: change.kind === 'lock' ? enabled : null,
      autoRenew: change.kind === 'auto_renew' ? enabled : null,
      privacy: change.kind === 'privacy' ? enabled : null,
    },
  );
  return rows[0];
}

/** Whether a change was made under this reference. */
export async function changeWasMade(sql: Sql, clientReference: string): Promise<boolean> {
  const { rows } = await sql.raw(
    'select 1 from sandbox_registrar_effects where client_reference = :clientReference',
    { clientReference },
  );
  return rows.length > 0;
}

/** Forgets changes by age; whoever asked for one has had its answer long since. */
export async function deleteChanges(sql: Sql, before: Date, limit: number): Promise<number> {
  const result = await sql.raw(
    `delete from sandbox_registrar_effects where client_reference in (
       select client_reference from sandbox_registrar_effects where made_at < :before
       order by made_at limit :limit for update skip locked)`,
    { before, limit },
  );
  return result.rowCount ?? 0;
}
