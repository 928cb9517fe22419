import { prepared, type Tx } from '../../platform/database/postgres.ts';

export interface KeyScope {
  /** Whose key it is: a credential's public key id, or a user's id. */
  credential: string;
  method: string;
  path: string;
  key: string;
}

/** An answer as it goes out: the exact text, so that a replay is equal byte for byte. */
export interface Answer {
  status: number;
  body: string;
}

export interface StoredAnswer extends Answer {
  fingerprint: Buffer;
}

/**
 * Binds the key to this request. A second request with the same key waits here until the first one's
 * transaction ends. False when the key is bound already.
 */
export async function insertKey(
  tx: Tx,
  scope: KeyScope,
  fingerprint: Buffer,
  at: { now: Date; expiresAt: Date },
): Promise<boolean> {
  const { rows } = await prepared(
    tx,
    `insert into idempotency_keys as k (credential, method, path, key, fingerprint, created_at, expires_at)
     values (:credential, :method, :path, :key, :fingerprint, :now, :expiresAt)
     on conflict (credential, method, path, key) do update
       set fingerprint = excluded.fingerprint, status = null, body = null,
           created_at = excluded.created_at, expires_at = excluded.expires_at
       where k.expires_at <= excluded.created_at
     returning 1`,
    { ...scope, fingerprint, ...at },
  );
  return rows.length > 0;
}

export async function readAnswer(tx: Tx, scope: KeyScope): Promise<StoredAnswer | undefined> {
  return tx('idempotency_keys').where(scope).first('fingerprint', 'status', 'body');
}

export async function storeAnswer(tx: Tx, scope: KeyScope, answer: Answer): Promise<void> {
  await prepared(
    tx,
    `update idempotency_keys set status = :status, body = :body
     where credential = :credential and method = :method and path = :path and key = :key`,
    { ...scope, ...answer },
  );
}

export async function deleteExpired(tx: Tx, now: Date, limit: number): Promise<number> {
  const result = await tx.raw(
    `delete from idempotency_keys where ctid in (
       select ctid from idempotency_keys where expires_at <= :now limit :limit)`,
    { now, limit },
  );
  return result.rowCount ?? 0;
}
