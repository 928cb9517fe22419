import type { Sql } from '../platform/db.ts';
import type { Reseal } from '../platform/reseal.ts';

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
