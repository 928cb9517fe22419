import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  bytea,
  nullable,
  type ParamsOf,
  type RowOf,
  text,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { conflict, violatesConstraint } from '../../platform/errors.ts';

const NEW_PASSKEY = {
  /** The credential id, in base64url. */
  id: text,
  userId: text,
  name: text,
  publicKey: bytea,
  counter: bigint,
  transports: arrayOf(text),
  createdAt: timestamptz,
};

export const insertPasskey = defineStatement({
  params: NEW_PASSKEY,
  text: `insert into user_passkeys (id, user_id, name, public_key, counter, transports, created_at)
    values (:id, :userId, :name, :publicKey, :counter, :transports, :createdAt)`,
});

const PASSKEY = {
  id: text,
  name: text,
  transports: arrayOf(text),
  createdAt: timestamptz,
  lastUsedAt: nullable(timestamptz),
};
/** A passkey as its owner sees it. */
export type Passkey = RowOf<typeof PASSKEY>;

/** Selects the passkeys of a user, oldest first. */
export const selectPasskeys = defineStatement({
  params: { userId: text },
  row: PASSKEY,
  text: `select id, name, transports, created_at as "createdAt", last_used_at as "lastUsedAt"
    from user_passkeys where user_id = :userId order by created_at, id`,
});

/** Selects a passkey by its id, with the fields that verify its signatures. */
export const selectPasskey = defineStatement({
  params: { id: text },
  row: { id: text, userId: text, publicKey: bytea, counter: bigint },
  text: `select id, user_id as "userId", public_key as "publicKey", counter
    from user_passkeys where id = :id`,
});

/** Records a use with the authenticator's signature counter, which only grows or is always 0. */
export const updatePasskeyUsed = defineStatement({
  params: { id: text, counter: bigint, now: timestamptz },
  text: `update user_passkeys set counter = :counter::bigint, last_used_at = :now
    where id = :id and (counter < :counter::bigint or (counter = 0 and :counter::bigint = 0))`,
});

export const deletePasskey = defineStatement({
  params: { userId: text, id: text },
  row: { name: text },
  text: 'delete from user_passkeys where user_id = :userId and id = :id returning name',
});

export const deletePasskeysOf = defineStatement({
  params: { userId: text },
  text: 'delete from user_passkeys where user_id = :userId',
});

/** Uses up a challenge. Of several responses to one challenge, only one inserts a row. */
export const insertUsedChallenge = defineStatement({
  params: { challenge: text, expiresAt: timestamptz },
  text: `insert into used_passkey_challenges (challenge, expires_at) values (:challenge, :expiresAt)
    on conflict do nothing`,
});

/** Inserts a new passkey. @throws conflict (`already_exists`) */
export async function writePasskey(sql: Sql, passkey: ParamsOf<typeof NEW_PASSKEY>): Promise<void> {
  try {
    await insertPasskey.run(sql, passkey);
  } catch (error) {
    if (violatesConstraint(error, 'user_passkeys_pkey')) {
      throw conflict('already_exists', 'This passkey is registered already.');
    }
    throw error;
  }
}
