import type { Sql, Tx } from '../platform/db.ts';
import type { Partner, PartnerStatus } from './partner.ts';

const COLUMNS = `id, name, status, commission_bps as "commissionBps",
  settlement_period as "settlementPeriod", affiliate_id as "affiliateId", created_at as "createdAt"`;

export async function insertPartner(tx: Tx, partner: Partner): Promise<void> {
  await tx('partners').insert({
    id: partner.id,
    name: partner.name,
    status: partner.status,
    commission_bps: partner.commissionBps,
    settlement_period: partner.settlementPeriod,
    affiliate_id: partner.affiliateId,
    created_at: partner.createdAt,
  });
}

/** The partner, locked until the transaction ends. */
export async function lockPartner(tx: Tx, id: string): Promise<Partner | undefined> {
  const { rows } = await tx.raw(`select ${COLUMNS} from partners where id = :id for update`, {
    id,
  });
  return rows[0];
}

export async function updatePartnerStatus(
  tx: Tx,
  id: string,
  status: PartnerStatus,
): Promise<void> {
  await tx('partners').where({ id }).update({ status });
}

/** Every partner, oldest first. */
export async function selectPartners(sql: Sql): Promise<Partner[]> {
  const { rows } = await sql.raw(`select ${COLUMNS} from partners order by created_at, id`);
  return rows;
}
