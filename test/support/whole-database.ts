import type { Runtime } from './runtime.ts';

/** Returns every row of every table as text, one a line. */
export async function wholeDatabase({ db }: Pick<Runtime, 'db'>): Promise<string> {
  const { rows } = await db.knex.raw(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
  );
  const texts = rows.map(async ({ name }: { name: string }) => {
    const table = await db.knex.raw(`select to_json(t)::text as row from ${name} t`);
    return table.rows.map(({ row }: { row: string }) => `${name} ${row}`);
  });
  return (await Promise.all(texts)).flat().join('\n');
}
