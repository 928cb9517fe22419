import type { Reseal } from '../../platform/crypto/secrets.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  bytea,
  integer,
  nullable,
  text,
  timestamptz,
} from '../../platform/database/sql-types.ts';

/** Stores the secret of an app that a session begins to set up. Does not replace a confirmed app. */
export const upsertPending = defineStatement({
  params: { userId: text, sealed: bytea, begunBy: bytea, now: timestamptz },
  text: `insert into user_authenticators (user_id, secret_sealed, begun_by, created_at)
    values (:userId, :sealed, :begunBy, :now)
    on conflict (user_id) do update set secret_sealed = excluded.secret_sealed, begun_by = excluded.begun_by,
        created_at = excluded.created_at
      where user_authenticators.confirmed_at is null`,
});

/** Selects the secret of the app that a session began to set up at or after `since`. */
export const selectPending = defineStatement({
  params: { userId: text, begunBy: bytea, since: timestamptz },
  row: { sealed: bytea },
  text: `select secret_sealed as sealed from user_authenticators
    where user_id = :userId and confirmed_at is null and begun_by = :begunBy and created_at >= :since`,
});

export const selectAuthenticator = defineStatement({
  params: { userId: text },
  row: { sealed: bytea, confirmedAt: nullable(timestamptz) },
  text: `select secret_sealed as sealed, confirmed_at as "confirmedAt" from user_authenticators
    where user_id = :userId`,
});

/** Selects whether a user has a confirmed second factor. */
export const selectHasSecondFactor = defineStatement({
  params: { userId: text },
  row: { found: boolean },
  text: `select exists(select from user_authenticators
        where user_id = :userId and confirmed_at is not null)
      or exists(select from user_passkeys where user_id = :userId) as found`,
});

/** Confirms an app for the session that began to set it up. */
export const updateConfirmed = defineStatement({
  params: { userId: text, begunBy: bytea, step: bigint, now: timestamptz },
  text: `update user_authenticators set confirmed_at = :now, last_step = :step, begun_by = null
    where user_id = :userId and confirmed_at is null and begun_by = :begunBy`,
});

/** Uses up the codes of a time step and all earlier ones. */
export const updateStep = defineStatement({
  params: { userId: text, step: bigint },
  text: `update user_authenticators set last_step = :step
    where user_id = :userId and confirmed_at is not null and last_step < :step`,
});

export const deleteAuthenticator = defineStatement({
  params: { userId: text },
  text: 'delete from user_authenticators where user_id = :userId and confirmed_at is not null',
});

export const insertRecoveryCodes = defineStatement({
  params: { userId: text, hashes: arrayOf(bytea) },
  text: `insert into user_recovery_codes (user_id, code_hash) select :userId, unnest(:hashes::bytea[])`,
});

/** Selects whether a user has a confirmed authenticator app. */
export const selectHasAuthenticator = defineStatement({
  params: { userId: text },
  row: { found: boolean },
  text: `select exists(select from user_authenticators
      where user_id = :userId and confirmed_at is not null) as found`,
});

/** Uses up a recovery code. */
export const updateRecoveryCodeUsed = defineStatement({
  params: { userId: text, hash: bytea, now: timestamptz },
  text: `update user_recovery_codes set used_at = :now
    where user_id = :userId and code_hash = :hash and used_at is null`,
});

export const deleteRecoveryCodes = defineStatement({
  params: { userId: text },
  text: 'delete from user_recovery_codes where user_id = :userId',
});

export const countRecoveryCodes = defineStatement({
  params: { userId: text },
  row: { count: integer },
  text: `select count(*)::int as count from user_recovery_codes
    where user_id = :userId and used_at is null`,
});

/** Selects a page of app secrets after `afterId`, to reseal them. */
export const selectSealedSecrets = defineStatement({
  params: { afterId: text, limit: bigint },
  row: { userId: text, sealed: bytea },
  text: `select user_id as "userId", secret_sealed as sealed from user_authenticators
    where user_id > :afterId order by user_id limit :limit`,
});

export const updateSealedSecrets = defineStatement({
  params: { ids: arrayOf(text), befores: arrayOf(bytea), afters: arrayOf(bytea) },
  text: `update user_authenticators a set secret_sealed = r.after
    from unnest(:ids::text[], :befores::bytea[], :afters::bytea[]) as r (id, before, after)
    where a.user_id = r.id and a.secret_sealed = r.before`,
});

/** Replaces secrets that did not change meanwhile, and returns how many. */
export function replaceSealedSecrets(
  sql: Sql,
  reseals: readonly Reseal<string>[],
): Promise<number> {
  return updateSealedSecrets.run(sql, {
    ids: reseals.map(({ id }) => id),
    befores: reseals.map(({ before }) => before),
    afters: reseals.map(({ after }) => after),
  });
}
