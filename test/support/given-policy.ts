import { Readable } from 'node:stream';
import { importTransferPolicies } from '../../shared/market/tlds/transfer-policies.ts';
import type { Runtime } from './runtime.ts';

/** Sets rules for all TLDs that lock a domain only after a registrant change, for this many days. */
export async function givenPolicy(
  runtime: Runtime,
  registrantChangeLockDays: number,
): Promise<void> {
  const rules = {
    tld: '*',
    effective_from: '2020-01-01',
    creation_lock_days: 0,
    transfer_lock_days: 0,
    registrant_change_lock_days: registrantChangeLockDays,
    auth_code_days: 14,
    source: 'test',
  };
  await importTransferPolicies(runtime, { source: Readable.from([JSON.stringify(rules)]) });
}
