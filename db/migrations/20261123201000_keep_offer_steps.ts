import type { Knex } from 'knex';

/** What was said in each offer, step by step. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table offer_steps (
      id bigint generated always as identity primary key,
      offer_id text collate "C" not null references offers (id),
      at timestamptz not null,
      event text not null,
      made_by text not null check (made_by in ('buyer', 'owner', 'floor', 'clock')),
      amount_cents bigint
    );
    create index offer_steps_of_offer on offer_steps (offer_id);
    create index offers_by_status on offers (status, id);
    create index offers_waiting on offers (id) where status in ('OPEN', 'COUNTERED');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index offers_waiting;
    drop index offers_by_status;
    drop table offer_steps;
  `);
}
