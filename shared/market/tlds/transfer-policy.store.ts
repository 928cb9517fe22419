import type { Tx } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  integer,
  jsonb,
  nullable,
  text,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { TransferPolicyVersion } from './transfer-policy.ts';

const VERSION = {
  tld: text,
  effectiveFrom: nullable(timestamptz),
  creationLockDays: integer,
  transferLockDays: integer,
  registrantChangeLockDays: integer,
  authCodeDays: integer,
  source: text,
};

/** Every version, ordered by TLD and effective date, earliest first. */
export const selectTransferPolicies = defineStatement({
  row: VERSION,
  text: `select tld, effective_from as "effectiveFrom", creation_lock_days as "creationLockDays",
      transfer_lock_days as "transferLockDays",
      registrant_change_lock_days as "registrantChangeLockDays",
      auth_code_days as "authCodeDays", source
    from transfer_policies order by tld, effective_from nulls last`,
});

export const deleteTransferPolicies = defineStatement({
  params: { tlds: arrayOf(text) },
  text: 'delete from transfer_policies where tld = any(:tlds)',
});

export const insertTransferPolicies = defineStatement({
  params: { versions: jsonb<readonly TransferPolicyVersion[]>() },
  text: `insert into transfer_policies (tld, effective_from, creation_lock_days, transfer_lock_days,
      registrant_change_lock_days, auth_code_days, source)
    select * from jsonb_to_recordset(:versions::jsonb) as v(tld text, "effectiveFrom" timestamptz,
      "creationLockDays" integer, "transferLockDays" integer, "registrantChangeLockDays" integer,
      "authCodeDays" integer, source text)`,
});

/** Replaces all versions of the TLDs in `versions`. */
export async function replaceTransferPolicies(
  tx: Tx,
  versions: readonly TransferPolicyVersion[],
): Promise<void> {
  const tlds = [...new Set(versions.map(({ tld }) => tld))];
  await deleteTransferPolicies.run(tx, { tlds });
  await insertTransferPolicies.run(tx, { versions });
}
