import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { importTlds } from '../../shared/market/tlds/import-tlds.ts';
import { importTransferPolicies } from '../../shared/market/tlds/transfer-policies.ts';
import type { Database } from '../../shared/messaging/unit-of-work/database.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import type { RejectedLine } from '../../shared/platform/line-reader.ts';

/**
 * The only source of each TLD's fees, requirements and transfer rules; production imports them with `tld:import` and
 * `transfer-policy:import`.
 */
const TLDS = new URL('./tlds.ndjson', import.meta.url);
const TRANSFER_POLICIES = new URL('./transfer-policies.ndjson', import.meta.url);

/** Returns a hash of the data files, which identifies their edition. */
export async function tldEdition(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of [TLDS, TRANSFER_POLICIES]) hash.update(await readFile(file));
  return hash.digest('hex').slice(0, 16);
}

/** Imports the TLDs and their rules from the data files. @throws Error if a row is invalid */
export async function seedTlds(runtime: { db: Database; clock: Clock }): Promise<void> {
  const onRejected = ({ line, row, reason }: RejectedLine) => {
    throw new Error(`line ${line} (${row}): ${reason}`);
  };
  await importTlds(runtime, { source: createReadStream(TLDS), onRejected });
  await importTransferPolicies(runtime, {
    source: createReadStream(TRANSFER_POLICIES),
    onRejected,
  });
}
