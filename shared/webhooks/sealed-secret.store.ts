import type { Sql } from '../platform/db.ts';
import type { Reseal } from '../platform/reseal.ts';

/** The two secrets of an endpoint: the one that signs, and the one that it replaced. */
export type SecretColumn = 'secret_ciphertext' | 'previous_secret_ciphertext';

export interface SealedSecret {
  id: string;
  sealed: Buffer;
}

export async function selectSecrets(
  sql: Sql,
  column: SecretColumn,
  afterId: string,
  limit: number,
): Promise<SealedSecret[]> {
  const { rows } = await sql.raw(
    `select id, ${column} as sealed from webhook_endpoints
     where id > :afterId and ${column} is not null order by id limit :limit`,
    { afterId, limit },
  );
  return rows;
}

/** Replaces ciphertexts that nobody else replaced meanwhile. */
export async function replaceSecrets(
  sql: Sql,
  column: SecretColumn,
  reseals: readonly Reseal<string>[],
): Promise<number> {
  const result = await sql.raw(
    `update webhook_endpoints w set ${column} = r.after
     from unnest(:ids::text[], :befores::bytea[], :afters::bytea[]) as r (id, before, after)
     where w.id = r.id and w.${column} = r.before`,
    {
      ids: reseals.map(({ id }) => id),
      befores: reseals.map(({ before }) => before),
      afters: reseals.map(({ after }) => after),
    },
  );
  return result.rowCount ?? 0;
}
