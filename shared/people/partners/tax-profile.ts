import type { Database } from '../../messaging/unit-of-work/database.ts';
import { parseCountry } from '../../platform/countries.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { fail, invalid } from '../../platform/errors.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { selectTaxProfile, upsertTaxProfile } from './partner.store.ts';

/** A partner's tax identity, as printed on its new documents. */
export interface PartnerTaxProfile {
  legalName: string;
  /** Lines separated by `|`. */
  address: string;
  /** ISO 3166-1 alpha-2; null if no profile is set. */
  country: string | null;
  taxId: string | null;
  /** The VAT rate in basis points; null for a partner that charges no VAT. */
  vatBps: number | null;
}

/** Returns the tax profile of a partner; only its name if none is set. @throws not_found */
export async function readTaxProfile(sql: Sql, partnerId: string): Promise<PartnerTaxProfile> {
  const row = await selectTaxProfile.first(sql, { id: partnerId });
  if (!row) throw fail('not_found', { message: 'No partner has this ID.' });
  return {
    legalName: row.legalName ?? row.name,
    address: row.address ?? '',
    country: row.country,
    taxId: row.taxId,
    vatBps: row.vatBps,
  };
}

/**
 * Sets the tax profile of a partner. Documents already issued do not change.
 * @throws not_found, validation_error
 */
export async function setTaxProfile(
  { db }: { db: Database },
  actor: string,
  partnerId: string,
  given: PartnerTaxProfile & { country: string },
): Promise<void> {
  const country = parseCountry('/country', given.country);
  const profile = { ...given, legalName: given.legalName.trim(), country };
  if (profile.legalName === '') {
    throw invalid([{ path: '/legal_name', message: 'must not be empty' }]);
  }
  if (profile.vatBps !== null && profile.taxId === null) {
    throw invalid([{ path: '/tax_id', message: 'is required with VAT' }]);
  }
  await db.transact(async (uow) => {
    const before = await readTaxProfile(uow.sql, partnerId);
    await upsertTaxProfile.send(uow.pipeline, { ...profile, partnerId, now: uow.now });
    const subject = partnerId;
    const after = { ...profile };
    await recordAudit(uow, {
      actor,
      action: 'partner:set-tax-profile',
      subject,
      before: { ...before },
      after,
    });
  });
}
