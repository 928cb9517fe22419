import type { Knex } from 'knex';

export const config = { transaction: false };

const KEYS = [
  { of: 'webhook_deliveries', to: 'events', name: 'webhook_deliveries_event_id_fkey' },
  {
    of: 'webhook_deliveries',
    to: 'webhook_endpoints',
    name: 'webhook_deliveries_endpoint_id_fkey',
  },
  // Of attempts from before they became partitions; they are dropped at some time.
  {
    of: 'webhook_attempts_before',
    to: 'webhook_deliveries',
    name: 'webhook_attempts_delivery_id_fkey',
  },
] as const;

/**
 * Deliveries refer to no table any more, so that each week of them can be put in place and dropped without a lock on
 * others: they are made of rows of events and endpoints, neither of which is deleted while a delivery is there.
 *
 * Dropping a key locks two tables that requests and claims come to in opposite orders. So each try is short, lets
 * everybody pass, and is one of many.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`set lock_timeout = '250ms'`);
  for (const { of, to, name } of KEYS) {
    await knex.raw(`do $$ begin
      for try in 1..20 loop
        begin
          exit when not exists (select from pg_constraint where conname = '${name}' and conrelid = to_regclass('${of}'));
          lock table ${to}, ${of} in access exclusive mode;
          alter table ${of} drop constraint ${name};
          exit;
        exception when lock_not_available then
          if try = 20 then raise; end if;
        end;
        perform pg_sleep(0.25);
      end loop;
    end $$`);
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`alter table webhook_deliveries
    add constraint webhook_deliveries_event_id_fkey foreign key (event_id) references events,
    add constraint webhook_deliveries_endpoint_id_fkey foreign key (endpoint_id) references webhook_endpoints on delete cascade`);
}
