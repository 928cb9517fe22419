import type { Knex } from 'knex';

/** Transfers of owned domains to other registrars, one row from the first authorization code to the end. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table transfers_out (
      id text collate "C" not null primary key,
      domain text collate "C" not null,
      user_id text collate "C" not null references users,
      status text not null check (status in ('code_requested', 'code_issued', 'pending_transfer',
        'stopping', 'left', 'expired', 'stopped')),
      since timestamptz not null,
      expires_at timestamptz,
      issue integer not null,
      issued_at timestamptz not null,
      requested_by text,
      created_at timestamptz not null,
      ended_at timestamptz,
      constraint transfers_out_end_check
        check ((ended_at is not null) = (status in ('left', 'expired', 'stopped')))
    );
    create unique index transfers_out_under_way on transfers_out (domain) where ended_at is null;
    create index transfers_out_by_user on transfers_out (user_id);
    create index transfers_out_ended on transfers_out (ended_at) where ended_at is not null`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table transfers_out');
}
