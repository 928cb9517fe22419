import type { Knex } from 'knex';

/**
 * Failed sign-ins have a table that is pruned; the audit trail, which stays for ever, has good ones alone. `user_id` is
 * no foreign key: looking it up would tell by time whether an address has an account.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table sign_in_failures (
      id bigint generated always as identity primary key,
      user_id text collate "C",
      reason text not null check (reason in ('password', 'passkey', 'code')),
      address text,
      user_agent text,
      at timestamptz not null
    );
    create index sign_in_failures_by_user on sign_in_failures (user_id, id);
    create index sign_in_failures_by_age on sign_in_failures (at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table sign_in_failures');
}
