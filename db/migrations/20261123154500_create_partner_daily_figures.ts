import type { Knex } from 'knex';

/** The days that were counted are counted again, for the new figures of them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table partner_daily_figures (
      partner_id text collate "C" not null references partners (id),
      environment text not null check (environment in ('LIVE', 'SANDBOX')),
      day date not null,
      figure text not null,
      part text not null,
      value bigint not null,
      primary key (partner_id, environment, day, figure, part)
    );
    delete from daily_counts;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table partner_daily_figures');
}
