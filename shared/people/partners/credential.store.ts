import type { Environment } from '../../platform/config/config.ts';
import type { Reseal } from '../../platform/crypto/secrets.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  bytea,
  integer,
  nullable,
  type ParamsOf,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { fail, violatesConstraint } from '../../platform/errors.ts';
import type { Scope } from './credential.ts';
import type { DeliveryMethod, PartnerStatus } from './partner.ts';

type CredentialStatus = 'active' | 'revoked';

/**
 * Selects the credentials with these ids and their partners' status, in no particular order. `demo` says whether demo
 * partners count.
 */
export const selectWithPartners = defineStatement({
  params: { keyIds: arrayOf(text), demo: boolean },
  row: {
    keyId: text,
    partnerId: text,
    environment: textOf<Environment>(),
    scopes: arrayOf(textOf<Scope>()),
    secretCiphertext: bytea,
    status: textOf<CredentialStatus>(),
    expiresAt: nullable(timestamptz),
    allowedIps: nullable(arrayOf(text)),
    partnerStatus: textOf<PartnerStatus>(),
    commissionBps: integer,
    deliveryMethod: textOf<DeliveryMethod>(),
    affiliateId: nullable(text),
  },
  text: `select c.key_id as "keyId", c.partner_id as "partnerId", c.environment, c.scopes,
      c.secret_ciphertext as "secretCiphertext", c.status, c.expires_at as "expiresAt",
      c.allowed_ips as "allowedIps", p.status as "partnerStatus", p.commission_bps as "commissionBps",
      p.delivery_method as "deliveryMethod", p.affiliate_id as "affiliateId"
    from credentials c join partners p on p.id = c.partner_id
    where c.key_id = any(:keyIds) and (:demo or not p.demo)`,
});

/** The columns of a credential, without its secret. */
export const CREDENTIAL_COLUMNS = `key_id as "keyId", partner_id as "partnerId", environment, scopes, name, status,
  allowed_ips as "allowedIps", created_at as "createdAt", revoked_at as "revokedAt",
  expires_at as "expiresAt", last_used_at as "lastUsedAt", replaced_by as "replacedBy"`;
const CREDENTIAL = {
  keyId: text,
  partnerId: text,
  environment: textOf<Environment>(),
  scopes: arrayOf(textOf<Scope>()),
  name: nullable(text),
  status: textOf<CredentialStatus>(),
  /** The networks, in CIDR notation, that the key may be used from; null allows all. */
  allowedIps: nullable(arrayOf(text)),
  createdAt: timestamptz,
  revokedAt: nullable(timestamptz),
  /** When the key expires; null for never. */
  expiresAt: nullable(timestamptz),
  lastUsedAt: nullable(timestamptz),
  /** The key that replaced it in a rotation. */
  replacedBy: nullable(text),
};
/** A credential without its secret. */
export type StoredCredential = RowOf<typeof CREDENTIAL>;

const NEW_CREDENTIAL = {
  keyId: text,
  partnerId: text,
  environment: textOf<Environment>(),
  scopes: arrayOf(textOf<Scope>()),
  secretCiphertext: bytea,
  name: nullable(text),
  allowedIps: nullable(arrayOf(text)),
  expiresAt: nullable(timestamptz),
  createdAt: timestamptz,
};

/** Locks the keys of a partner until the transaction ends, so that they can be counted. */
export const lockKeys = defineStatement({
  params: { partnerId: text },
  row: { id: text },
  text: 'select id from partners where id = :partnerId for no key update',
});

/** Counts the keys of a partner that are valid at `now`, except `ending`. */
export const countActive = defineStatement({
  params: {
    partnerId: text,
    environment: textOf<Environment>(),
    ending: nullable(text),
    now: timestamptz,
  },
  row: { count: integer },
  text: `select count(*)::int as count from credentials
    where partner_id = :partnerId and environment = :environment and status = 'active'
      and (expires_at is null or expires_at > :now) and key_id is distinct from :ending`,
});

/** Inserts a new active credential. */
export const insertCredential = defineStatement({
  params: NEW_CREDENTIAL,
  text: `insert into credentials (key_id, partner_id, environment, scopes, secret_ciphertext, name,
      allowed_ips, expires_at, created_at)
    values (:keyId, :partnerId, :environment, :scopes, :secretCiphertext, :name,
      :allowedIps, :expiresAt, :createdAt)`,
});

/** Locks a credential until the transaction ends. */
export const selectCredentialForUpdate = defineStatement({
  params: { keyId: text },
  row: CREDENTIAL,
  text: `select ${CREDENTIAL_COLUMNS} from credentials where key_id = :keyId for update`,
});

/** Revokes a credential permanently. */
export const updateRevoked = defineStatement({
  params: { keyId: text, now: timestamptz },
  text: `update credentials set status = 'revoked', revoked_at = :now where key_id = :keyId`,
});

/** Records that another credential replaces one, which stays valid until `expiresAt`. */
export const updateReplaced = defineStatement({
  params: { keyId: text, expiresAt: timestamptz, replacedBy: text },
  text: `update credentials set expires_at = :expiresAt, replaced_by = :replacedBy
    where key_id = :keyId`,
});

/** Changes the name, scopes and allowed networks of a credential. */
export const updateTerms = defineStatement({
  params: {
    keyId: text,
    name: nullable(text),
    scopes: arrayOf(textOf<Scope>()),
    allowedIps: nullable(arrayOf(text)),
  },
  text: `update credentials set name = :name, scopes = :scopes, allowed_ips = :allowedIps
    where key_id = :keyId`,
});

/** Records when credentials were last used, locking rows in a fixed order. Does not overwrite a later use. */
export const updateLastUsed = defineStatement({
  params: { keyIds: arrayOf(text), usedAts: arrayOf(timestamptz) },
  text: `with uses as (
      select c.key_id, u.used_at
      from credentials c join unnest(:keyIds::text[], :usedAts::timestamptz[]) as u (key_id, used_at)
        on u.key_id = c.key_id
      where c.last_used_at is null or c.last_used_at < u.used_at
      order by c.key_id for no key update of c)
    update credentials c set last_used_at = uses.used_at from uses where c.key_id = uses.key_id`,
});

/** Selects the credentials of a partner with their sealed secrets, oldest first. */
export const selectCredentials = defineStatement({
  params: { partnerId: text },
  row: { ...CREDENTIAL, secretCiphertext: bytea },
  text: `select ${CREDENTIAL_COLUMNS}, secret_ciphertext as "secretCiphertext"
    from credentials where partner_id = :partnerId order by created_at, key_id`,
});

/** Selects one credential without its secret. */
export const selectCredential = defineStatement({
  params: { keyId: text },
  row: CREDENTIAL,
  text: `select ${CREDENTIAL_COLUMNS} from credentials where key_id = :keyId`,
});

/** Selects a page of the sealed secrets of all credentials. */
export const selectSecrets = defineStatement({
  params: { afterKeyId: text, limit: bigint },
  row: { keyId: text, secret: bytea },
  text: `select key_id as "keyId", secret_ciphertext as secret from credentials
    where key_id > :afterKeyId order by key_id limit :limit`,
});

/** Selects the sealed secret of the newest credential. */
export const selectNewestSecret = defineStatement({
  params: {},
  row: { keyId: text, secret: bytea },
  text: `select key_id as "keyId", secret_ciphertext as secret from credentials
    order by created_at desc limit 1`,
});

/** Replaces ciphertexts that did not change meanwhile. */
export const updateSecrets = defineStatement({
  params: { ids: arrayOf(text), befores: arrayOf(bytea), afters: arrayOf(bytea) },
  text: `update credentials c set secret_ciphertext = r.after
    from unnest(:ids::text[], :befores::bytea[], :afters::bytea[]) as r (id, before, after)
    where c.key_id = r.id and c.secret_ciphertext = r.before`,
});

/** Inserts a new active credential. @throws not_found when there is no such partner */
export async function writeCredential(
  tx: Tx,
  credential: ParamsOf<typeof NEW_CREDENTIAL>,
): Promise<void> {
  try {
    await insertCredential.run(tx, credential);
  } catch (error) {
    if (violatesConstraint(error, 'credentials_partner_id_fkey')) {
      throw fail('not_found', { message: `There is no partner ${credential.partnerId}.` });
    }
    throw error;
  }
}

/** Replaces ciphertexts that did not change meanwhile, and returns how many. */
export function replaceSecrets(sql: Sql, reseals: readonly Reseal<string>[]): Promise<number> {
  return updateSecrets.run(sql, {
    ids: reseals.map(({ id }) => id),
    befores: reseals.map(({ before }) => before),
    afters: reseals.map(({ after }) => after),
  });
}
