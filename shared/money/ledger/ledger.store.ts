import { prepared, type Tx } from '../../platform/database/postgres.ts';
import type { NewEntry } from './ledger-entry.ts';

export async function insertEntry(tx: Tx, id: string, entry: NewEntry, now: Date): Promise<void> {
  await prepared(
    tx,
    `with entry as (
       insert into ledger_entries (id, kind, reference, partner_id, environment, order_id, created_at)
       values (:id, :kind, :reference, :partnerId, :environment, :orderId, :now))
     insert into ledger_postings (entry_id, line, account, partner_id, environment, currency, amount_cents)
     select :id, p.line, p.account, :partnerId, :environment, p.currency, p.amount
     from unnest(:accounts::text[], :currencies::text[], :amounts::bigint[])
       with ordinality as p (account, currency, amount, line)`,
    {
      id,
      kind: entry.kind,
      reference: entry.reference,
      partnerId: entry.partnerId,
      environment: entry.environment,
      orderId: entry.orderId,
      now,
      accounts: entry.postings.map((posting) => posting.account),
      currencies: entry.postings.map((posting) => posting.amount.currency),
      amounts: entry.postings.map((posting) => posting.amount.amount),
    },
  );
}
