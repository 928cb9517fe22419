import type { Database } from '../../messaging/unit-of-work/database.ts';
import { parseCountry } from '../../platform/countries.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { fail, invalid } from '../../platform/errors.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { selectTaxProfile, upsertTaxProfile } from './partner.store.ts';

/** Who a partner is to the tax office; its documents say so from then on. */
export interface PartnerTaxProfile {
  legalName: string;
  /** Lines separated by `|`. */
  address: string;
  /** ISO 3166-1 alpha-2; null when nothing was set. */
  country: string | null;
  taxId: string | null;
  /** Basis points of VAT; null for one that charges none. */
  vatBps: number | null;
}

/** The tax profile of a partner; its name alone when none was set. @throws not_found */
export async function readTaxProfile(sql: Sql, partnerId: string): Promise<PartnerTaxProfile> {
  const row = await selectTaxProfile.first(sql, { id: partnerId });
  if (!row) throw fail('not_found', { message: 'No partner has this id.' });
  return {
    legalName: row.legalName ?? row.name,
    address: row.address ?? '',
    country: row.country,
    taxId: row.taxId,
    vatBps: row.vatBps,
  };
}

/**
 * Sets the tax profile of a partner. Documents that were issued keep what they say.
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
