import type { Sql } from '../platform/db.ts';
import type { Reseal } from '../platform/reseal.ts';

export type BrowserKind = 'Session' | 'Interaction';

export interface BrowserRow {
  idHash: Buffer;
  payloadSealed: Buffer;
}

export async function upsertBrowser(
  sql: Sql,
  row: BrowserRow & { kind: BrowserKind; uid: string | null; expiresAt: Date },
): Promise<void> {
  await sql.raw(
    `insert into oauth_browsers (id_hash, kind, uid, payload_sealed, expires_at)
     values (:idHash, :kind, :uid, :payloadSealed, :expiresAt)
     on conflict (id_hash) do update set
       uid = excluded.uid, payload_sealed = excluded.payload_sealed, expires_at = excluded.expires_at`,
    { ...row },
  );
}

export async function selectBrowser(
  sql: Sql,
  by: { kind: BrowserKind; idHash: Buffer } | { kind: BrowserKind; uid: string },
  now: Date,
): Promise<BrowserRow | undefined> {
  const { rows } = await sql.raw(
    `select id_hash as "idHash", payload_sealed as "payloadSealed" from oauth_browsers
     where kind = :kind and ${'uid' in by ? 'uid = :uid' : 'id_hash = :idHash'} and expires_at > :now
     order by expires_at desc limit 1`,
    { ...by, now },
  );
  return rows[0];
}

export async function deleteBrowser(sql: Sql, idHash: Buffer): Promise<void> {
  await sql('oauth_browsers').where({ id_hash: idHash }).delete();
}

export async function deleteExpiredBrowsers(sql: Sql, now: Date, limit: number): Promise<number> {
  const result = await sql.raw(
    `delete from oauth_browsers where id_hash in (
       select id_hash from oauth_browsers where expires_at <= :now limit :limit)`,
    { now, limit },
  );
  return result.rowCount ?? 0;
}

export async function selectPayloads(
  sql: Sql,
  afterIdHash: Buffer,
  limit: number,
): Promise<BrowserRow[]> {
  const { rows } = await sql.raw(
    `select id_hash as "idHash", payload_sealed as "payloadSealed" from oauth_browsers
     where id_hash > :afterIdHash order by id_hash limit :limit`,
    { afterIdHash, limit },
  );
  return rows;
}

/** Replaces payloads that nobody else replaced meanwhile. */
export async function replacePayloads(
  sql: Sql,
  reseals: readonly Reseal<Buffer>[],
): Promise<number> {
  const result = await sql.raw(
    `update oauth_browsers b set payload_sealed = r.after
     from unnest(:ids::bytea[], :befores::bytea[], :afters::bytea[]) as r (id, before, after)
     where b.id_hash = r.id and b.payload_sealed = r.before`,
    {
      ids: reseals.map(({ id }) => id),
      befores: reseals.map(({ before }) => before),
      afters: reseals.map(({ after }) => after),
    },
  );
  return result.rowCount ?? 0;
}
