import type { Knex } from 'knex';

/** What the probes of the service's components found, by the minute and by the day, and the incidents they make. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table status_probes (
      component text collate "C" not null,
      at timestamptz not null,
      ok boolean not null,
      primary key (component, at)
    );
    create index status_probes_at on status_probes (at);
    create table status_days (
      component text collate "C" not null,
      day date not null,
      probes integer not null check (probes > 0),
      failures integer not null check (failures between 0 and probes),
      primary key (component, day)
    );
    create table status_incidents (
      component text collate "C" not null,
      started_at timestamptz not null,
      ended_at timestamptz check (ended_at > started_at),
      primary key (component, started_at)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table status_incidents, status_days, status_probes');
}
