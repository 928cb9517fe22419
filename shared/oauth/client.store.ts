import type { Sql } from '../platform/db.ts';

export async function insertClient(
  sql: Sql,
  client: { id: string; metadata: object; createdAt: Date },
): Promise<void> {
  await sql('oauth_clients').insert({
    id: client.id,
    metadata: JSON.stringify(client.metadata),
    created_at: client.createdAt,
  });
}

export async function selectClient(
  sql: Sql,
  id: string,
): Promise<Record<string, unknown> | undefined> {
  const { rows } = await sql.raw('select metadata from oauth_clients where id = :id', { id });
  return rows[0]?.metadata;
}

/** Clients registered before `before` under which nobody is signed in. */
export async function deleteUnusedClients(sql: Sql, before: Date, limit: number): Promise<number> {
  const result = await sql.raw(
    `delete from oauth_clients where id in (
       select c.id from oauth_clients c
       where c.created_at < :before
         and not exists (select from oauth_grants g where g.client_id = c.id)
       limit :limit)`,
    { before, limit },
  );
  return result.rowCount ?? 0;
}
