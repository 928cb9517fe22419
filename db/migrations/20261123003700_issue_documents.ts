import type { Knex } from 'knex';

/**
 * Receipts, invoices, statements and other papers, numbered without gaps by issuer, kind and year. What was
 * issued stays as it is: a mistake is corrected by another document.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The last number of each series. Taking one locks the row until the commit, so a rollback leaves no gap.
    create table document_series (
      environment text not null,
      -- 'marketplace', or the partner whose papers these are.
      issuer text not null,
      kind text not null,
      -- In UTC.
      year integer not null,
      last_number integer not null check (last_number > 0),
      primary key (environment, issuer, kind, year)
    );

    create table documents (
      id text primary key,
      environment text not null,
      issuer text not null,
      kind text not null check (kind in
        ('receipt', 'invoice', 'credit_note', 'statement', 'self_billing', 'payout_advice')),
      year integer not null,
      number integer not null,
      -- The partner that sold, or is settled or paid.
      partner_id text not null references partners,
      -- The id of the order, statement or payout that it is about.
      subject text not null,
      currency text not null,
      total_cents bigint not null,
      -- Within the total.
      tax_cents bigint not null,
      -- JSON: all that the paper shows.
      content text not null,
      sha256 text not null check (sha256 = encode(sha256(convert_to(content, 'UTF8')), 'hex')),
      issued_at timestamptz not null,
      unique (subject, kind),
      foreign key (environment, issuer, kind, year) references document_series
    );
    create unique index documents_numbers on documents (environment, issuer, kind, year, number);
    create index documents_by_partner on documents (partner_id, environment, id desc);

    create function documents_are_final() returns trigger language plpgsql as $$
    begin
      raise exception 'a document that was issued is final: issue another one that corrects it'
        using errcode = 'restrict_violation', constraint = 'documents_are_final';
    end $$;
    create trigger documents_are_final before update or delete or truncate on documents
      for each statement execute function documents_are_final();
    create trigger document_series_stay before delete or truncate on document_series
      for each statement execute function documents_are_final();

    create function document_series_count_up() returns trigger language plpgsql as $$
    begin
      if (new.environment, new.issuer, new.kind, new.year) <> (old.environment, old.issuer, old.kind, old.year)
          or new.last_number <= old.last_number then
        raise exception 'a series of documents only counts up'
          using errcode = 'restrict_violation', constraint = 'document_series_count_up';
      end if;
      return new;
    end $$;
    create trigger document_series_count_up before update on document_series
      for each row execute function document_series_count_up();

    -- Who a partner is to the tax office: what its self-billing credit notes say.
    create table partner_tax_profiles (
      partner_id text primary key references partners,
      legal_name text not null,
      address text not null,
      -- ISO 3166-1 alpha-2.
      country text not null,
      tax_id text,
      -- Basis points of VAT; null for one that charges none.
      vat_bps integer check (vat_bps between 0 and 10000),
      updated_at timestamptz not null
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table partner_tax_profiles, documents, document_series;
    drop function documents_are_final, document_series_count_up;
  `);
}
