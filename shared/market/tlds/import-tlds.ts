import { domainToUnicode } from 'node:url';
import { Value } from 'typebox/value';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import {
  type RejectedLine,
  readJsonLines,
  readLines,
  rejectedLine,
} from '../../platform/line-reader.ts';
import { rowFault } from '../../platform/row-fault.ts';
import { parseTld } from '../names/domain-name.ts';
import { writeTlds } from './tld.store.ts';
import { type Tld, TldFileRow, TldRules } from './tld.ts';

export interface TldImportCounts {
  inserted: number;
  updated: number;
  unchanged: number;
  rejected: number;
}

/**
 * Imports the TLDs of an NDJSON stream in one transaction. New TLDs are inserted, known ones get the new terms, and
 * those not in the file stay unchanged. Bad rows are rejected, each with its line and reason. If two lines name one
 * TLD, the later one wins.
 */
export async function importTlds(
  { db, clock }: { db: Database; clock: Clock },
  input: {
    source: AsyncIterable<Uint8Array | string>;
    onRejected?: (row: RejectedLine) => void;
  },
): Promise<TldImportCounts> {
  const drafts = new Map<string, Omit<Tld, 'updatedAt'>>();
  let rejected = 0;
  for await (const row of readJsonLines(readLines(input.source))) {
    const draft = 'reason' in row ? row.reason : draftTld(row.value);
    if (typeof draft === 'string') {
      rejected += 1;
      input.onRejected?.(rejectedLine(row.line, row.text, draft));
    } else {
      drafts.set(draft.tld, draft);
    }
  }
  const written = await db.transact((uow) => writeTlds(uow.sql, [...drafts.values()], clock.now()));
  const inserted = written.filter((row) => row.inserted).length;
  return {
    inserted,
    updated: written.length - inserted,
    unchanged: drafts.size - written.length,
    rejected,
  };
}

/** Returns the TLD, or why the row is invalid. */
function draftTld(value: unknown): Omit<Tld, 'updatedAt'> | string {
  if (!Value.Check(TldFileRow, value)) return rowFault(TldFileRow, value);
  const tld = parseTld(value.tld);
  if (tld === undefined) return '/tld must be a TLD, such as com or co.uk';
  const contradiction = contradictionOf(value);
  if (contradiction) return contradiction;
  return {
    tld,
    unicode: domainToUnicode(tld),
    minYears: value.term.min_years,
    maxYears: value.term.max_years,
    priceCents: value.price_cents,
    // Fields outside the schema must not reach the API.
    rules: Value.Clean(TldRules, Value.Clone(value)) as TldRules,
    sources: value.sources,
  };
}

function contradictionOf(row: TldFileRow): string | undefined {
  if (row.term.min_years > row.term.max_years) return '/term/min_years must not be over max_years';
  if (row.nameservers.min > row.nameservers.max) return '/nameservers/min must not be over max';
  if (row.label.min_length > row.label.max_length)
    return '/label/min_length must not be over max_length';
  if (row.idn.emoji && row.type !== 'country_code')
    return '/idn/emoji must not be true for a TLD under contract with ICANN, which requires IDNA 2008';
  if (row.organization.required && !row.organization.allowed)
    return '/organization/required must not be true where none is allowed';
  if ((row.price_cents.restore !== null) !== row.lifecycle.restore_supported)
    return '/price_cents/restore must have a price exactly where restore is supported';
  return undefined;
}
