import type { Knex } from 'knex';

/**
 * A delivery tells the type of its event, so that those of a type are found by index. What the release before writes
 * gets it from the event.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    set local lock_timeout = '200ms';
    alter table webhook_deliveries add column event_type text;
    create function tell_type_of_delivery() returns trigger language plpgsql as $$ begin
      select type into new.event_type from events where id = new.event_id;
      return new;
    end $$;
    create trigger tell_type_of_delivery before insert on webhook_deliveries
      for each row when (new.event_type is null) execute function tell_type_of_delivery();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger if exists tell_type_of_delivery on webhook_deliveries;
    drop function if exists tell_type_of_delivery();
    alter table webhook_deliveries drop column event_type;
  `);
}
