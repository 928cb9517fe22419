import type { Knex } from 'knex';

/**
 * Searches that found nothing, by day and query, so that operators learn what buyers miss. A query stands here
 * without who asked it. A day's totals outlive the rarer queries of the day.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table search_misses (
      environment text not null,
      -- In UTC.
      day date not null,
      query text collate "C" not null,
      searches integer not null,
      primary key (environment, day, query)
    );
    create index search_misses_day on search_misses (day);
    create table search_miss_days (
      environment text not null,
      day date not null,
      searches integer not null,
      -- Different queries; null until the day is over and its report is made.
      queries integer,
      primary key (environment, day)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table search_misses, search_miss_days');
}
