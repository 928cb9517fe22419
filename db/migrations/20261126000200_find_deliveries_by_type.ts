import type { Knex } from 'knex';

export const config = { transaction: false };

const INDEX = 'webhook_deliveries_by_type';
const COLUMNS = '(partner_id, environment, event_type, id desc)';

/**
 * Finds the deliveries of a type, newest first. Each week gets its index by itself, while it is written to; what locks
 * all weeks waits for them briefly, and a next try goes on from there.
 */
export async function up(knex: Knex): Promise<void> {
  const briefly = async (statement: string) => {
    await knex.raw(`set lock_timeout = '250ms'`);
    await knex.raw(statement);
  };
  await briefly(`create index if not exists ${INDEX} on only webhook_deliveries ${COLUMNS}`);
  const { rows } = await knex.raw(
    `select c.relname as week from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'webhook_deliveries'::regclass and not exists (
       select 1 from pg_index x join pg_inherits a on a.inhrelid = x.indexrelid
       where x.indrelid = c.oid and a.inhparent = '${INDEX}'::regclass)
     order by c.relname`,
  );
  for (const { week } of rows) {
    const name = `${week}_by_type`;
    await knex.raw('set lock_timeout = 0');
    await knex.raw(`drop index concurrently if exists ${name}`);
    await knex.raw(`create index concurrently ${name} on ${week} ${COLUMNS}`);
    await briefly(`alter index ${INDEX} attach partition ${name}`);
  }
  await briefly(`alter table webhook_deliveries
    drop constraint if exists webhook_deliveries_type_told,
    add constraint webhook_deliveries_type_told check (event_type is not null) not valid`);
  await knex.raw('alter table webhook_deliveries validate constraint webhook_deliveries_type_told');
  await briefly(`alter table webhook_deliveries
    alter column event_type set not null,
    drop constraint webhook_deliveries_type_told`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table webhook_deliveries alter column event_type drop not null');
  await knex.raw(`drop index if exists ${INDEX}`);
}
