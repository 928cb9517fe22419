import { Value } from 'typebox/value';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { type Clock, MINUTE } from '../../platform/clock.ts';
import { createKept } from '../../platform/concurrency/kept.ts';
import {
  type RejectedLine,
  readJsonLines,
  readLines,
  rejectedLine,
} from '../../platform/line-reader.ts';
import { rowFault } from '../../platform/row-fault.ts';
import { parseMarketDomain, parseTld } from '../names/domain-name.ts';
import { replaceTransferPolicies, selectTransferPolicies } from './transfer-policy.store.ts';
import {
  ANY_TLD,
  nextPolicyChange,
  type TransferPolicies,
  type TransferPolicy,
  TransferPolicyFileRow,
  type TransferPolicyVersion,
  transferPolicyOf,
} from './transfer-policy.ts';

/** Returns the transfer policy of a domain (A-labels) in force at an instant, and when it ends. */
export type TransferPolicyFinder = (
  domain: string,
  instant: Date,
) => Promise<TransferPolicy & { until: Date | null }>;

const KEEP_MS = MINUTE;

/** Creates a finder over data at most a minute old. One SQL statement reads all versions for all callers. */
export function createTransferPolicyFinder(deps: {
  db: Database;
  clock: Clock;
}): TransferPolicyFinder {
  const catalogue = createKept(deps.clock, KEEP_MS, () => listTransferPolicies(deps));
  return async (domain, instant) => {
    const policies = await catalogue.read();
    const { tld } = parseMarketDomain(domain);
    const until = nextPolicyChange(policies, tld, instant);
    return { ...transferPolicyOf(policies, tld, instant), until };
  };
}

/** Returns all versions of each TLD's transfer policy. */
export async function listTransferPolicies({ db }: { db: Database }): Promise<TransferPolicies> {
  const policies = new Map<string, TransferPolicyVersion[]>();
  for (const version of await db.read((sql) => selectTransferPolicies.all(sql))) {
    policies.set(version.tld, [...(policies.get(version.tld) ?? []), version]);
  }
  return policies;
}

/**
 * Imports the transfer policies of an NDJSON stream in one transaction. Each TLD in it gets exactly these versions. Bad
 * rows are rejected, each with its line and reason. If two lines have one instant, the later one wins.
 */
export async function importTransferPolicies(
  { db }: { db: Database },
  input: {
    source: AsyncIterable<Uint8Array | string>;
    onRejected?: (row: RejectedLine) => void;
  },
): Promise<{ imported: number; rejected: number }> {
  const versions = new Map<string, TransferPolicyVersion>();
  let rejected = 0;
  for await (const row of readJsonLines(readLines(input.source))) {
    const version = 'reason' in row ? row.reason : readVersion(row.value);
    if (typeof version === 'string') {
      rejected += 1;
      input.onRejected?.(rejectedLine(row.line, row.text, version));
    } else {
      versions.set(`${version.tld} ${version.effectiveFrom?.toISOString()}`, version);
    }
  }
  await db.transact((uow) => replaceTransferPolicies(uow.sql, [...versions.values()]));
  return { imported: versions.size, rejected };
}

/** Returns the version, or why the row is invalid. */
function readVersion(row: unknown): TransferPolicyVersion | string {
  if (!Value.Check(TransferPolicyFileRow, row)) return rowFault(TransferPolicyFileRow, row);
  const tld = row.tld === ANY_TLD ? ANY_TLD : parseTld(row.tld);
  if (tld === undefined) return '/tld must be a TLD, such as com or co.uk, or *';
  const effectiveFrom = row.effective_from === null ? null : new Date(row.effective_from);
  if (Number.isNaN(effectiveFrom?.getTime())) return '/effective_from must be a date';
  return {
    tld,
    effectiveFrom,
    creationLockDays: row.creation_lock_days,
    transferLockDays: row.transfer_lock_days,
    registrantChangeLockDays: row.registrant_change_lock_days,
    authCodeDays: row.auth_code_days,
    source: row.source,
  };
}
