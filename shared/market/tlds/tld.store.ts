import type { Sql, Tx } from '../../platform/database/postgres.ts';
import type { Tld, TldRules } from './tld.ts';

interface TldRow {
  tld: string;
  unicode: string;
  register_cents: number | null;
  renew_cents: number | null;
  transfer_cents: number | null;
  restore_cents: number | null;
  min_years: number;
  max_years: number;
  rules: TldRules;
  sources: string[];
  updated_at: Date;
}

const TERMS = `unicode, register_cents, renew_cents, transfer_cents, restore_cents, min_years, max_years,
  rules, sources`;

export async function selectTlds(sql: Sql): Promise<Tld[]> {
  const { rows } = await sql.raw<{ rows: TldRow[] }>(
    `select tld, ${TERMS}, updated_at from tlds order by tld`,
  );
  return rows.map(toTld);
}

export async function selectTld(sql: Sql, tld: string): Promise<Tld | undefined> {
  const { rows } = await sql.raw<{ rows: TldRow[] }>(
    `select tld, ${TERMS}, updated_at from tlds where tld = ?`,
    [tld],
  );
  return rows[0] && toTld(rows[0]);
}

/** Writes the TLDs and tells which rows are new or changed; `updated_at` moves only with a change. */
export async function upsertTlds(
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
  const result = await tx.raw<{ rows: { tld: string; inserted: boolean }[] }>(
    `insert into tlds (tld, ${TERMS}, updated_at)
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
    { now, rows: JSON.stringify(rows) },
  );
  return result.rows;
}

function toTld(row: TldRow): Tld {
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
