import type { Knex } from 'knex';

const FUNCTIONS = [
  'add_range_partition(text, text, text, text, text)',
  'drop_range_partition(text, text, text)',
];

/** The role of the service owns no table: it keeps the partitions of logs by the right of who owns them. */
export async function up(knex: Knex): Promise<void> {
  for (const each of FUNCTIONS) {
    await knex.raw(`alter function ${each} security definer set search_path = public, pg_temp`);
    await knex.raw(`revoke execute on function ${each} from public`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const each of FUNCTIONS) {
    await knex.raw(`alter function ${each} security invoker reset search_path`);
    await knex.raw(`grant execute on function ${each} to public`);
  }
}
