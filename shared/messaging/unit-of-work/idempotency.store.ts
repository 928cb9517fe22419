import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  bytea,
  type ParamsOf,
  present,
  smallint,
  text,
  timestamptz,
} from '../../platform/database/sql-types.ts';

const SCOPE = {
  /** The owner of the key: a credential's public key id, or a user's id. */
  credential: text,
  method: text,
  path: text,
  key: text,
};
/** The scope in which an idempotency key is unique. */
export type KeyScope = ParamsOf<typeof SCOPE>;

/** A response with its exact text, so that a replay is identical byte for byte. */
export interface Answer {
  status: number;
  text: string;
}

/**
 * Binds the key to this request. A second request with the same key waits here until the transaction of the first one
 * ends. Changes no row if the key is already bound.
 */
export const insertKey = defineStatement({
  params: { ...SCOPE, fingerprint: bytea, now: timestamptz, expiresAt: timestamptz },
  text: `insert into idempotency_keys as k (credential, method, path, key, fingerprint, created_at, expires_at)
    values (:credential, :method, :path, :key, :fingerprint, :now, :expiresAt)
    on conflict (credential, method, path, key) do update
      set fingerprint = excluded.fingerprint, status = null, body = null,
          created_at = excluded.created_at, expires_at = excluded.expires_at
      where k.expires_at <= excluded.created_at`,
  plan: 'once',
});

const ANSWERED = 'a key is committed together with its answer';

/** Selects the stored response of a key, and the fingerprint of the request that it answers. */
export const selectAnswer = defineStatement({
  params: SCOPE,
  row: { fingerprint: bytea, status: present(smallint, ANSWERED), body: present(text, ANSWERED) },
  text: `select fingerprint, status, body from idempotency_keys
    where credential = :credential and method = :method and path = :path and key = :key`,
});

/** Stores the response to the request that a key is bound to. */
export const updateAnswer = defineStatement({
  params: { ...SCOPE, status: smallint, body: text },
  text: `update idempotency_keys set status = :status, body = :body
    where credential = :credential and method = :method and path = :path and key = :key`,
  plan: 'once',
});
