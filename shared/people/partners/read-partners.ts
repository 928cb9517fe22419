import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Clock } from '../../platform/clock.ts';
import { idPage } from '../../platform/database/id-page.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { fail } from '../../platform/errors.ts';
import { idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import type { StoredCredential } from './credential.store.ts';
import {
  type PartnerWithKeyCounts,
  selectCommission,
  selectDeliveryMethod,
  selectPartner,
  selectPartnerNames,
  selectPartners,
  selectPartnersWithKeyCounts,
  selectPartnerWithCredentials,
} from './partner.store.ts';
import type { DeliveryMethod, Partner, PartnerStatus } from './partner.ts';

export type { PartnerWithKeyCounts };

/** Lists every partner, oldest first. */
export async function listPartners({ db }: { db: Database }): Promise<Partner[]> {
  return selectPartners.all(db.knex);
}

/** Lists a page of partners with their numbers of currently valid key pairs by environment. */
export function listPartnersPage(
  { db, clock }: { db: Database; clock: Clock },
  status: PartnerStatus | null,
  page: ListPage,
): Promise<Page<PartnerWithKeyCounts>> {
  const read = (limit: number) =>
    selectPartnersWithKeyCounts[page.sort].all(db.knex, {
      status,
      now: clock.now(),
      ...idPage('partner', page, limit),
    });
  return readPage(page.limit, read, idOf);
}

/** Returns one partner. @throws not_found */
export async function readPartner({ db }: { db: Database }, id: string): Promise<Partner> {
  const partner = await selectPartner.first(db.knex, { id });
  if (!partner) throw noPartner();
  return partner;
}

const noPartner = () => fail('not_found', { message: 'No partner has this ID.' });

/** Returns one partner and its credentials, oldest first, without their secrets. @throws not_found */
export async function readPartnerWithCredentials(
  { db }: { db: Database },
  id: string,
): Promise<{ partner: Partner; credentials: StoredCredential[] }> {
  const found = await selectPartnerWithCredentials.first(db.knex, { id });
  if (!found) throw noPartner();
  const { credentials, ...partner } = found;
  return {
    partner,
    credentials: (credentials ?? []).map((credential) => ({
      ...credential,
      createdAt: new Date(credential.createdAt),
      revokedAt: timeOf(credential.revokedAt),
      expiresAt: timeOf(credential.expiresAt),
      lastUsedAt: timeOf(credential.lastUsedAt),
    })),
  };
}

const timeOf = (at: string | null) => (at === null ? null : new Date(at));

/** Returns the names of these partners, by id. */
export async function readPartnerNames(
  { db }: { db: Database },
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await selectPartnerNames.all(db.knex, { ids: [...new Set(ids)] });
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Returns the default for how a partner's sold domains reach their buyers. @throws not_found */
export async function readDeliveryMethod(sql: Sql, partnerId: string): Promise<DeliveryMethod> {
  const found = await selectDeliveryMethod.first(sql, { id: partnerId });
  if (!found) throw noPartner();
  return found.method;
}

/** Returns a partner's current share of a sale in basis points. @throws not_found */
export async function getCommissionRate(uow: UnitOfWork, partnerId: string): Promise<number> {
  const rate = await selectCommission.first(uow.sql, { id: partnerId });
  if (!rate) throw noPartner();
  return rate.commissionBps;
}
