import type { Knex } from 'knex';

/** Fails the transaction of a job that was done elsewhere meanwhile, so that its COMMIT need not wait to hear of it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`create function finish_job(job bigint, ended timestamptz) returns boolean language plpgsql as $$
    begin
      update public.outbox set state = 'done', done_at = ended, lease_until = null, last_error = null
        where id = job and coalesce(state <> 'done', false);
      if not found then
        raise exception 'job % was done already', job using errcode = 'JOB01';
      end if;
      return true;
    end $$`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function finish_job');
}
