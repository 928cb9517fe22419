import type { Environment } from '../../platform/config/config.ts';
import type { Reseal } from '../../platform/crypto/secrets.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { fail, violatesConstraint } from '../../platform/errors.ts';
import type { Credential, Scope } from './credential.ts';

/**
 * The credentials of these ids that exist, each with its partner's standing, in no order; `demo` says whether
 * those of the demo count.
 */
export async function findCredentialRows(
  sql: Sql,
  keyIds: readonly string[],
  demo: boolean,
): Promise<(Omit<Credential, 'secret'> & { secretCiphertext: Buffer })[]> {
  const { rows } = await sql.raw(
    `select c.key_id as "keyId", c.partner_id as "partnerId", c.environment, c.scopes,
       c.secret_ciphertext as "secretCiphertext", c.status, c.expires_at as "expiresAt",
       p.status as "partnerStatus", p.commission_bps as "commissionBps", p.affiliate_id as "affiliateId"
     from credentials c join partners p on p.id = c.partner_id
     where c.key_id = any(:keyIds) and (:demo or not p.demo)`,
    { keyIds: [...keyIds], demo },
  );
  return rows;
}

export interface StoredCredential {
  keyId: string;
  partnerId: string;
  environment: Environment;
  scopes: readonly Scope[];
  status: 'active' | 'revoked';
  createdAt: Date;
  revokedAt: Date | null;
  /** Set on the old pair of a rotation: good until then. */
  expiresAt: Date | null;
}

const COLUMNS = `key_id as "keyId", partner_id as "partnerId", environment, scopes, status,
  created_at as "createdAt", revoked_at as "revokedAt", expires_at as "expiresAt"`;

/** Keeps a new active credential. @throws not_found when there is no such partner */
export async function insertCredential(
  tx: Tx,
  credential: {
    keyId: string;
    partnerId: string;
    environment: Environment;
    scopes: readonly Scope[];
    secretCiphertext: Buffer;
    createdAt: Date;
  },
): Promise<void> {
  try {
    await tx('credentials').insert({
      key_id: credential.keyId,
      partner_id: credential.partnerId,
      environment: credential.environment,
      scopes: [...credential.scopes],
      secret_ciphertext: credential.secretCiphertext,
      created_at: credential.createdAt,
    });
  } catch (error) {
    if (violatesConstraint(error, 'credentials_partner_id_fkey')) {
      throw fail('not_found', { message: `There is no partner ${credential.partnerId}.` });
    }
    throw error;
  }
}

/** The credential, locked until the transaction ends. */
export async function lockCredential(tx: Tx, keyId: string): Promise<StoredCredential | undefined> {
  const { rows } = await tx.raw(
    `select ${COLUMNS} from credentials where key_id = :keyId for update`,
    { keyId },
  );
  return rows[0];
}

export async function markRevoked(tx: Tx, keyId: string, now: Date): Promise<void> {
  await tx('credentials').where({ key_id: keyId }).update({ status: 'revoked', revoked_at: now });
}

export async function setExpiry(tx: Tx, keyId: string, expiresAt: Date): Promise<void> {
  await tx('credentials').where({ key_id: keyId }).update({ expires_at: expiresAt });
}

/** The credentials of a partner with their sealed secrets, oldest first. */
export async function selectCredentials(
  sql: Sql,
  partnerId: string,
): Promise<(StoredCredential & { secretCiphertext: Buffer })[]> {
  const { rows } = await sql.raw(
    `select ${COLUMNS}, secret_ciphertext as "secretCiphertext"
     from credentials where partner_id = :partnerId order by created_at, key_id`,
    { partnerId },
  );
  return rows;
}

/** One credential without its secret. */
export async function selectCredential(
  sql: Sql,
  keyId: string,
): Promise<StoredCredential | undefined> {
  const { rows } = await sql.raw(`select ${COLUMNS} from credentials where key_id = :keyId`, {
    keyId,
  });
  return rows[0];
}

export interface SealedSecret {
  keyId: string;
  secret: Buffer;
}

export async function selectSecrets(
  sql: Sql,
  afterKeyId: string,
  limit: number,
): Promise<SealedSecret[]> {
  const { rows } = await sql.raw(
    `select key_id as "keyId", secret_ciphertext as secret from credentials
     where key_id > :afterKeyId order by key_id limit :limit`,
    { afterKeyId, limit },
  );
  return rows;
}

/** Replaces ciphertexts that nobody else replaced meanwhile. */
export async function replaceSecrets(
  sql: Sql,
  reseals: readonly Reseal<string>[],
): Promise<number> {
  const result = await sql.raw(
    `update credentials c set secret_ciphertext = r.after
     from unnest(:ids::text[], :befores::bytea[], :afters::bytea[]) as r (id, before, after)
     where c.key_id = r.id and c.secret_ciphertext = r.before`,
    {
      ids: reseals.map(({ id }) => id),
      befores: reseals.map(({ before }) => before),
      afters: reseals.map(({ after }) => after),
    },
  );
  return result.rowCount ?? 0;
}
