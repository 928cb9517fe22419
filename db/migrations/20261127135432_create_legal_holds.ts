import type { Knex } from 'knex';

/** Orders from courts and dispute providers that lock a domain in place. Only LIVE domains have them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table legal_holds (
      id text collate "C" primary key,
      domain text collate "C" not null,
      kind text not null check (kind in ('court_order', 'udrp', 'urs', 'law_enforcement', 'other')),
      case_reference text not null,
      placed_at timestamptz not null,
      placed_by text not null,
      lifted_at timestamptz,
      lifted_by text,
      check ((lifted_at is null) = (lifted_by is null))
    )`);
  await knex.raw(`
    create unique index legal_holds_standing on legal_holds (domain, case_reference)
      where lifted_at is null`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table legal_holds');
}
