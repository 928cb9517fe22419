import type { Environment } from '../../platform/config/config.ts';
import type { Pipeline } from '../../platform/database/pipeline.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  nullable,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { EntryKind, LedgerAccount, NewEntry } from './ledger-entry.ts';

/** Inserts an entry with its postings, numbered from 1; amounts are in minor units, debit positive. */
export const insertEntry = defineStatement({
  params: {
    id: text,
    kind: textOf<EntryKind>(),
    reference: text,
    partnerId: nullable(text),
    environment: textOf<Environment>(),
    orderId: nullable(text),
    now: timestamptz,
    accounts: arrayOf(textOf<LedgerAccount>()),
    currencies: arrayOf(text),
    amounts: arrayOf(bigint),
  },
  text: `with entry as (
      insert into ledger_entries (id, kind, reference, partner_id, environment, order_id, created_at)
      values (:id, :kind, :reference, :partnerId, :environment, :orderId, :now))
    insert into ledger_postings (entry_id, line, account, partner_id, environment, currency, amount_cents)
    select :id, p.line, p.account, :partnerId, :environment, p.currency, p.amount
    from unnest(:accounts::text[], :currencies::text[], :amounts::bigint[])
      with ordinality as p (account, currency, amount, line)`,
  plan: 'once',
});

/** Writes an entry with this ID. */
export async function writeEntry(
  pipeline: Pipeline,
  id: string,
  entry: NewEntry,
  now: Date,
): Promise<void> {
  const { kind, reference, partnerId, environment, orderId, postings } = entry;
  await insertEntry.send(pipeline, {
    id,
    kind,
    reference,
    partnerId,
    environment,
    orderId,
    now,
    accounts: postings.map(({ account }) => account),
    currencies: postings.map(({ amount }) => amount.currency),
    amounts: postings.map(({ amount }) => amount.amount),
  });
}
