import type { Sql } from '../platform/db.ts';

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
