import type { Knex } from 'knex';

/** Aborts the transaction if its job was finished elsewhere, so that COMMIT can be sent along with it. */
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
