import type { Knex } from 'knex';

/**
 * The append-only double-entry ledger. Amounts are signed minor units, debit positive. The database
 * itself refuses an entry that does not sum to zero per currency, an update, and a delete.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table ledger_entries (
      id text collate "C" primary key,
      kind text not null,
      reference text collate "C" not null,
      partner_id text collate "C" references partners (id),
      environment text not null,
      order_id text collate "C",
      created_at timestamptz not null,
      unique (kind, reference)
    );
    create index ledger_entries_by_order on ledger_entries (order_id);

    create table ledger_postings (
      entry_id text collate "C" not null references ledger_entries (id),
      line smallint not null,
      account text not null,
      partner_id text collate "C",
      environment text not null,
      currency text not null,
      amount_cents bigint not null check (amount_cents <> 0),
      primary key (entry_id, line)
    );
    create index ledger_postings_by_account on ledger_postings (partner_id, environment, account, currency)
      include (amount_cents);

    create function ledger_entry_must_balance() returns trigger language plpgsql as $$
    declare
      entry text := case tg_table_name when 'ledger_entries' then to_jsonb(new) ->> 'id'
                                       else to_jsonb(new) ->> 'entry_id' end;
      lines integer;
      unbalanced integer;
    begin
      select count(*), count(distinct currency) filter (where total <> 0) into lines, unbalanced
      from (select currency, sum(amount_cents) over (partition by currency) as total
            from ledger_postings where entry_id = entry) p;
      if lines < 2 or unbalanced > 0 then
        raise exception 'ledger entry % does not balance', entry
          using errcode = 'check_violation', constraint = 'ledger_entry_balances';
      end if;
      return null;
    end $$;

    create constraint trigger ledger_entry_balances after insert on ledger_entries
      deferrable initially deferred for each row execute function ledger_entry_must_balance();
    create constraint trigger ledger_posting_balances after insert on ledger_postings
      deferrable initially deferred for each row execute function ledger_entry_must_balance();

    create function ledger_is_append_only() returns trigger language plpgsql as $$
    begin
      raise exception 'the ledger is append-only: post a reversal instead'
        using errcode = 'restrict_violation', constraint = 'ledger_is_append_only';
    end $$;

    create trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
      for each statement execute function ledger_is_append_only();
    create trigger ledger_postings_append_only before update or delete or truncate on ledger_postings
      for each statement execute function ledger_is_append_only();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table ledger_postings, ledger_entries;
    drop function ledger_entry_must_balance();
    drop function ledger_is_append_only();
  `);
}
