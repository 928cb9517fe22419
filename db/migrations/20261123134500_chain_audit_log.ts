import type { Knex } from 'knex';

/**
 * Each entry of the audit trail is chained to the one committed before it: its hash covers that one's. The trigger
 * runs at the commit, so that the chain is locked last and briefly. What was written before is chained here.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table audit_chain (
      position bigint primary key,
      entry_id bigint not null unique,
      hash bytea not null check (length(hash) = 32)
    );

    create function audit_entry_text(entry audit_log) returns text language sql stable as $$
      select jsonb_build_array(entry.id, extract(epoch from entry.at), entry.actor, entry.action, entry.subject,
        entry.before, entry.after)::text
    $$;

    create function chain_audit_entry() returns trigger language plpgsql as $$
    declare
      head audit_chain;
    begin
      perform pg_advisory_xact_lock(hashtext('audit_chain'));
      select * into head from audit_chain order by position desc limit 1;
      insert into audit_chain (position, entry_id, hash) values (
        coalesce(head.position, 0) + 1, new.id,
        sha256(coalesce(head.hash, '') || convert_to(audit_entry_text(new), 'UTF8')));
      return null;
    end $$;

    lock table audit_log in share row exclusive mode;
    do $$
    declare
      entry audit_log;
      place bigint := 0;
      head bytea := '';
    begin
      for entry in select * from audit_log order by id loop
        place := place + 1;
        head := sha256(head || convert_to(audit_entry_text(entry), 'UTF8'));
        insert into audit_chain values (place, entry.id, head);
      end loop;
    end $$;

    create constraint trigger audit_log_chained after insert on audit_log
      deferrable initially deferred for each row execute function chain_audit_entry();
    create trigger audit_chain_append_only before update or delete or truncate on audit_chain
      for each statement execute function audit_log_is_append_only();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger audit_log_chained on audit_log;
    drop table audit_chain;
    drop function chain_audit_entry();
    drop function audit_entry_text(audit_log);
  `);
}
