import type { Knex } from 'knex';

/** Who did what stays as it was written, whoever asks: the database refuses to change or delete it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function audit_log_is_append_only() returns trigger language plpgsql as $$
    begin
      raise exception 'the audit trail is append-only'
        using errcode = 'restrict_violation', constraint = 'audit_log_is_append_only';
    end $$;

    create trigger audit_log_append_only before update or delete or truncate on audit_log
      for each statement execute function audit_log_is_append_only();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger audit_log_append_only on audit_log;
    drop function audit_log_is_append_only();
  `);
}
