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
import type { PartnerStatus } from './partner.ts';

type CredentialStatus = 'active' | 'revoked';

/**
 * The credentials of these ids that exist, each with its partner's standing, in no order; `demo` says whether
 * those of the demo count.
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
    partnerStatus: textOf<PartnerStatus>(),
    commissionBps: integer,
    affiliateId: nullable(text),
  },
  text: `select c.key_id as "keyId", c.partner_id as "partnerId", c.environment, c.scopes,
      c.secret_ciphertext as "secretCiphertext", c.status, c.expires_at as "expiresAt",
      p.status as "partnerStatus", p.commission_bps as "commissionBps", p.affiliate_id as "affiliateId"
    from credentials c join partners p on p.id = c.partner_id
    where c.key_id = any(:keyIds) and (:demo or not p.demo)`,
});

const COLUMNS = `key_id as "keyId", partner_id as "partnerId", environment, scopes, status,
  created_at as "createdAt", revoked_at as "revokedAt", expires_at as "expiresAt"`;
const CREDENTIAL = {
  keyId: text,
  partnerId: text,
  environment: textOf<Environment>(),
  scopes: arrayOf(textOf<Scope>()),
  status: textOf<CredentialStatus>(),
  createdAt: timestamptz,
  revokedAt: nullable(timestamptz),
  /** Set on the old pair of a rotation: good until then. */
  expiresAt: nullable(timestamptz),
};
/** A credential without its secret. */
export type StoredCredential = RowOf<typeof CREDENTIAL>;

const NEW_CREDENTIAL = {
  keyId: text,
  partnerId: text,
  environment: textOf<Environment>(),
  scopes: arrayOf(textOf<Scope>()),
  secretCiphertext: bytea,
  createdAt: timestamptz,
};

/** Keeps a new active credential. */
export const insertCredential = defineStatement({
  params: NEW_CREDENTIAL,
  text: `insert into credentials (key_id, partner_id, environment, scopes, secret_ciphertext, created_at)
    values (:keyId, :partnerId, :environment, :scopes, :secretCiphertext, :createdAt)`,
});

/** The credential, locked until the transaction ends. */
export const selectCredentialForUpdate = defineStatement({
  params: { keyId: text },
  row: CREDENTIAL,
  text: `select ${COLUMNS} from credentials where key_id = :keyId for update`,
});

/** Ends a credential for good. */
export const updateRevoked = defineStatement({
  params: { keyId: text, now: timestamptz },
  text: `update credentials set status = 'revoked', revoked_at = :now where key_id = :keyId`,
});

/** Says until when a credential is good. */
export const updateExpiry = defineStatement({
  params: { keyId: text, expiresAt: timestamptz },
  text: 'update credentials set expires_at = :expiresAt where key_id = :keyId',
});

/** The credentials of a partner with their sealed secrets, oldest first. */
export const selectCredentials = defineStatement({
  params: { partnerId: text },
  row: { ...CREDENTIAL, secretCiphertext: bytea },
  text: `select ${COLUMNS}, secret_ciphertext as "secretCiphertext"
    from credentials where partner_id = :partnerId order by created_at, key_id`,
});

/** One credential without its secret. */
export const selectCredential = defineStatement({
  params: { keyId: text },
  row: CREDENTIAL,
  text: `select ${COLUMNS} from credentials where key_id = :keyId`,
});

/** The sealed secrets of all credentials, a page at a time. */
export const selectSecrets = defineStatement({
  params: { afterKeyId: text, limit: bigint },
  row: { keyId: text, secret: bytea },
  text: `select key_id as "keyId", secret_ciphertext as secret from credentials
    where key_id > :afterKeyId order by key_id limit :limit`,
});

/** Replaces ciphertexts that nobody else replaced meanwhile. */
export const updateSecrets = defineStatement({
  params: { ids: arrayOf(text), befores: arrayOf(bytea), afters: arrayOf(bytea) },
  text: `update credentials c set secret_ciphertext = r.after
    from unnest(:ids::text[], :befores::bytea[], :afters::bytea[]) as r (id, before, after)
    where c.key_id = r.id and c.secret_ciphertext = r.before`,
});

/** Keeps a new active credential. @throws not_found when there is no such partner */
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

/** Replaces ciphertexts that nobody else replaced meanwhile; returns how many that were. */
export function replaceSecrets(sql: Sql, reseals: readonly Reseal<string>[]): Promise<number> {
  return updateSecrets.run(sql, {
    ids: reseals.map(({ id }) => id),
    befores: reseals.map(({ before }) => before),
    afters: reseals.map(({ after }) => after),
  });
}
