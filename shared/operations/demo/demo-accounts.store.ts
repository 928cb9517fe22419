import type { Sql } from '../../platform/database/postgres.ts';

/** The demo accounts that somebody could still use, by id. */
export async function selectActiveDemoAccounts(
  sql: Sql,
): Promise<{ partners: string[]; users: string[] }> {
  const { rows } = await sql.raw(
    `select
       array(select id from partners where demo and status = 'active' order by id) as partners,
       array(select id from users where demo and disabled_at is null order by id) as users`,
  );
  return rows[0];
}
