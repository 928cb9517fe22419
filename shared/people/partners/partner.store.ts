import type { Sql, Tx } from '../../platform/database/postgres.ts';
import type { Partner, PartnerStatus } from './partner.ts';

const COLUMNS = `id, name, status, commission_bps as "commissionBps",
  settlement_period as "settlementPeriod", affiliate_id as "affiliateId", created_at as "createdAt", demo`;

export async function insertPartner(tx: Tx, partner: Partner): Promise<void> {
  await tx('partners').insert({
    id: partner.id,
    name: partner.name,
    status: partner.status,
    commission_bps: partner.commissionBps,
    settlement_period: partner.settlementPeriod,
    affiliate_id: partner.affiliateId,
    created_at: partner.createdAt,
    demo: partner.demo,
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

export async function selectStatus(sql: Sql, id: string): Promise<PartnerStatus | undefined> {
  const { rows } = await sql.raw('select status from partners where id = :id', { id });
  return rows[0]?.status;
}

/** The same, which stays so until the transaction ends. */
export async function lockStatus(tx: Tx, id: string): Promise<PartnerStatus | undefined> {
  const { rows } = await tx.raw('select status from partners where id = :id for share', { id });
  return rows[0]?.status;
}

/** Every partner, oldest first. */
export async function selectPartners(sql: Sql): Promise<Partner[]> {
  const { rows } = await sql.raw(`select ${COLUMNS} from partners order by created_at, id`);
  return rows;
}

/** A partner and how many key pairs of it are good now. */
export interface PartnerWithKeyCounts extends Partner {
  sandboxKeys: number;
  liveKeys: number;
}

/** Partners below `before`, newest first, each with its active key pairs counted. */
export async function selectPartnersWithKeyCounts(
  sql: Sql,
  page: { before: string | null; limit: number; now: Date },
): Promise<PartnerWithKeyCounts[]> {
  const { rows } = await sql.raw(
    `select ${COLUMNS}, coalesce(k.sandbox, 0) as "sandboxKeys", coalesce(k.live, 0) as "liveKeys"
     from partners p
     left join lateral (
       select count(*) filter (where c.environment = 'SANDBOX') as sandbox,
         count(*) filter (where c.environment = 'LIVE') as live
       from credentials c where c.partner_id = p.id and c.status = 'active'
         and (c.expires_at is null or c.expires_at > :now)) k on true
     where (:before::text is null or p.id < :before) order by p.id desc limit :limit`,
    page,
  );
  return rows;
}

export async function selectPartner(sql: Sql, id: string): Promise<Partner | undefined> {
  const { rows } = await sql.raw(`select ${COLUMNS} from partners where id = :id`, { id });
  return rows[0];
}

export async function selectCommissionBps(sql: Sql, id: string): Promise<number | undefined> {
  const { rows } = await sql.raw('select commission_bps from partners where id = ?', [id]);
  return rows[0]?.commission_bps;
}

export async function selectPartnerNames(
  sql: Sql,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql.raw('select id, name from partners where id = any(:ids)', {
    ids: [...ids],
  });
  return rows;
}
