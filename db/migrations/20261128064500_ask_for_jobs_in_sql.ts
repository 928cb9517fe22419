import type { Knex } from 'knex';

/** Lets a statement enqueue the jobs it finds necessary, which saves its transaction a round trip. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`create function ask_for_job(queue text, name text, payload jsonb, key text, due timestamptz, trace text)
    returns boolean language plpgsql as $$
    begin
      insert into public.outbox (queue, name, payload, run_at, dedupe_key, created_at, trace_parent)
        values (queue, name, payload, due, key, due, trace);
      return true;
    end $$`);
  await knex.raw(`create function hasten_job(job bigint, due timestamptz) returns boolean language plpgsql as $$
    begin
      update public.outbox set state = 'pending', run_at = due, lease_until = null
        where id = job and run_at > due and coalesce(state in ('pending', 'dispatched'), false);
      return found;
    end $$`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function hasten_job');
  await knex.raw('drop function ask_for_job');
}
