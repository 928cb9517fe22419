import type { Knex } from 'knex';

/**
 * Puts all events, as they are, into a partitioned table of their name: the constraint says that they fit, so nothing is
 * read but what sandboxes have ahead. Positions are unique in each partition; over all of them, the lock of the stream
 * from which they are taken sees to it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    set local lock_timeout = '200ms';
    drop trigger keep_events_ahead on events;
    drop function keep_events_ahead();
    alter table events_default no inherit events;
    alter table events rename to events_before;
    alter index events_pkey rename to events_before_pkey;
    alter index events_pings rename to events_before_pings;
    alter index events_partner_id_environment_position_key rename to events_before_positions;
    create table events (like events_before, primary key (id),
      constraint events_partner_id_fkey foreign key (partner_id) references partners) partition by range (id);
    create index events_pings on events (id) where position is null;

    do $$
    declare
      cut text;
    begin
      select substring(pg_get_constraintdef(oid) from '''([^'']+)''') into strict cut
      from pg_constraint where conname = 'events_before' and conrelid = 'events_before'::regclass;
      execute format('alter table events attach partition events_before for values from (minvalue) to (%L)', cut);
    end $$;
    alter table events_before drop constraint events_before;
    alter table events attach partition events_default default;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table events rename to events_parted;
    alter index events_pkey rename to events_parted_pkey;
    alter index events_pings rename to events_parted_pings;
    create table events (like events_parted);
    insert into events select * from events_parted;
    drop table events_parted;
    alter table events add primary key (id), add unique (partner_id, environment, position),
      add foreign key (partner_id) references partners;
    create index events_pings on events (id) where position is null;
  `);
}
