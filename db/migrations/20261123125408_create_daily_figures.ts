import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table daily_figures (
      environment text not null check (environment in ('LIVE', 'SANDBOX', 'ALL')),
      day date not null,
      figure text not null,
      part text not null,
      value bigint not null,
      primary key (environment, day, figure, part)
    );
    create table daily_counts (day date primary key, counted_at timestamptz not null);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table daily_figures, daily_counts');
}
