import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  integer,
  jsonb,
  nullable,
  type ParamsOf,
  type RowOf,
  text,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { Tld, TldRules } from './tld.ts';

const TERMS = `unicode, register_cents, renew_cents, transfer_cents, restore_cents, min_years, max_years,
  rules, sources`;
const TERM_TYPES = {
  tld: text,
  unicode: text,
  register_cents: nullable(bigint),
  renew_cents: nullable(bigint),
  transfer_cents: nullable(bigint),
  restore_cents: nullable(bigint),
  min_years: integer,
  max_years: integer,
  rules: jsonb<TldRules>(),
  sources: arrayOf(text),
};
const TLD_TYPES = { ...TERM_TYPES, updated_at: timestamptz };

export const selectTlds = defineStatement({
  row: TLD_TYPES,
  text: `select tld, ${TERMS}, updated_at from tlds order by tld`,
});

export const selectTld = defineStatement({
  params: { tld: text },
  row: TLD_TYPES,
  text: `select tld, ${TERMS}, updated_at from tlds where tld = :tld`,
});

/** Returns the rows that are new or changed; `updated_at` changes only with the row. */
export const upsertTlds = defineStatement({
  params: { rows: jsonb<readonly TermRow[]>(), now: timestamptz },
  row: { tld: text, inserted: boolean },
  text: `insert into tlds (tld, ${TERMS}, updated_at)
    select tld, ${TERMS}, :now from jsonb_to_recordset(:rows::jsonb) as given (
      tld text, unicode text, register_cents bigint, renew_cents bigint, transfer_cents bigint,
      restore_cents bigint, min_years integer, max_years integer, rules jsonb, sources text[])
    on conflict (tld) do update set (${TERMS}, updated_at) = (
      excluded.unicode, excluded.register_cents, excluded.renew_cents, excluded.transfer_cents,
      excluded.restore_cents, excluded.min_years, excluded.max_years, excluded.rules,
      excluded.sources, excluded.updated_at)
    where (tlds.unicode, tlds.register_cents, tlds.renew_cents, tlds.transfer_cents,
      tlds.restore_cents, tlds.min_years, tlds.max_years, tlds.rules, tlds.sources)
      is distinct from (excluded.unicode, excluded.register_cents, excluded.renew_cents,
      excluded.transfer_cents, excluded.restore_cents, excluded.min_years, excluded.max_years,
      excluded.rules, excluded.sources)
    returning tld, xmax = 0 as inserted`,
});

type TermRow = ParamsOf<typeof TERM_TYPES>;

/** Returns every TLD, by name. */
export async function readTlds(sql: Sql): Promise<Tld[]> {
  return (await selectTlds.all(sql)).map(toTld);
}

/** Returns a TLD. @param tld as A-labels */
export async function readTld(sql: Sql, tld: string): Promise<Tld | undefined> {
  const row = await selectTld.first(sql, { tld });
  return row && toTld(row);
}

/** Writes the TLDs and returns which are new or changed. */
export function writeTlds(
  tx: Tx,
  tlds: readonly Omit<Tld, 'updatedAt'>[],
  now: Date,
): Promise<{ tld: string; inserted: boolean }[]> {
  const rows = tlds.map(({ tld, unicode, minYears, maxYears, priceCents, rules, sources }) => ({
    tld,
    unicode,
    register_cents: priceCents.register,
    renew_cents: priceCents.renew,
    transfer_cents: priceCents.transfer,
    restore_cents: priceCents.restore,
    min_years: minYears,
    max_years: maxYears,
    rules,
    sources,
  }));
  return upsertTlds.all(tx, { rows, now });
}

function toTld(row: RowOf<typeof TLD_TYPES>): Tld {
  return {
    tld: row.tld,
    unicode: row.unicode,
    minYears: row.min_years,
    maxYears: row.max_years,
    priceCents: {
      register: row.register_cents,
      renew: row.renew_cents,
      transfer: row.transfer_cents,
      restore: row.restore_cents,
    },
    rules: row.rules,
    sources: row.sources,
    updatedAt: row.updated_at,
  };
}
