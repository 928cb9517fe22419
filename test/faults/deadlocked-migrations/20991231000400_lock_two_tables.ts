import type { Knex } from 'knex';

/** Waits for the lock of a table whose owner waits for one of its own; not again once `after_deadlock` is there. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table webhook_endpoints in access exclusive mode;
    do $$ begin
      while to_regclass('after_deadlock') is null
        and not exists (select from pg_locks where relation = 'webhook_endpoints'::regclass and not granted) loop
        perform pg_sleep(0.01);
      end loop;
    end $$;
    lock table orders in access exclusive mode`);
}

export async function down(): Promise<void> {}
