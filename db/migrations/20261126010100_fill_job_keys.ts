import type { Knex } from 'knex';

export const config = { transaction: false };

const BATCH = 5_000;

/** Copies the keys of jobs of before, some thousands at a time. */
export async function up(knex: Knex): Promise<void> {
  for (let after = '0'; after !== null; ) {
    const { rows } = await knex.raw(
      `with page as (
         select id, dedupe_key, created_at from outbox where id > :after order by id limit ${BATCH}),
       copied as (
         insert into job_keys (dedupe_key, job_id, created_at)
         select dedupe_key, id, created_at from page where dedupe_key is not null
         on conflict do nothing)
       select max(id)::text as last from page`,
      { after },
    );
    after = rows[0].last;
  }
}

export async function down(): Promise<void> {}
