import type { Environment } from '../platform/config.ts';
import type { Sql, Tx } from '../platform/db.ts';
import type { CodeTarget } from './link-target.ts';
import type { AffiliateOwner, ReferralLink } from './referral-link.ts';

const COLUMNS = `id, partner_id as "partnerId", environment, kind, domain, product, label,
  sub_id as "subId", code, commission_bps as "commissionBps", created_at as "createdAt"`;

/** Keeps a link; false when its code is taken. */
export async function insertLink(tx: Tx, link: ReferralLink): Promise<boolean> {
  const { rowCount } = await tx.raw(
    `insert into referral_links (id, partner_id, environment, kind, domain, product, label, sub_id, code,
       commission_bps, created_at)
     values (:id, :partnerId, :environment, :kind, :domain, :product, :label, :subId, :code,
       :commissionBps, :createdAt)
     on conflict (code) do nothing`,
    { ...link },
  );
  return rowCount === 1;
}

/** The link of a code within an environment. */
export async function findLink(
  tx: Tx,
  environment: Environment,
  code: string,
): Promise<ReferralLink | undefined> {
  const { rows } = await tx.raw(
    `select ${COLUMNS} from referral_links where code = :code and environment = :environment`,
    { environment, code },
  );
  return rows[0];
}

/** The targets of those codes that exist, of all affiliates. */
export async function findTargets(sql: Sql, codes: readonly string[]): Promise<CodeTarget[]> {
  const { rows } = await sql.raw(
    `select code, id, environment, kind, domain, product from referral_links where code = any(:codes)`,
    { codes: [...codes] },
  );
  return rows;
}

/** All targets, in pages by id. */
export async function listTargets(sql: Sql, after: string, limit: number): Promise<CodeTarget[]> {
  const { rows } = await sql.raw(
    `select code, id, environment, kind, domain, product from referral_links where id > :after
     order by id limit :limit`,
    { after, limit },
  );
  return rows;
}

/** A link with what came of it. Amounts are of one currency; sales that were taken back don't count. */
export interface LinkStats extends ReferralLink {
  clicks: number;
  uniqueClicks: number;
  conversions: number;
  gmvCents: number;
  commissionCents: number;
}

/** A page of an affiliate's links, newest first. */
export async function listLinkStats(
  sql: Sql,
  owner: AffiliateOwner,
  filter: LinkFilter,
): Promise<LinkStats[]> {
  const { rows } = await sql.raw(
    `with page as (
       select * from referral_links
       where partner_id = :partnerId and environment = :environment
         and (:kind::text is null or kind = :kind) and (:subId::text is null or sub_id = :subId)
         and (:before::text is null or id < :before)
       order by id desc limit :limit)
     select ${COLUMNS}, d.clicks, d."uniqueClicks", s.conversions, s."gmvCents", s."commissionCents"
     from page p
     cross join lateral (
       select coalesce(sum(clicks), 0) as clicks, coalesce(sum(unique_clicks), 0) as "uniqueClicks"
       from referral_daily where link_id = p.id) d
     cross join lateral (
       select count(*) as conversions,
         coalesce(sum(amount_cents) filter (where currency = :currency), 0) as "gmvCents",
         coalesce(sum(commission_cents) filter (where currency = :currency), 0) as "commissionCents"
       from referral_sales where link_id = p.id and state <> 'reversed') s
     order by p.id desc`,
    { partnerId: owner.partnerId, environment: owner.environment, ...filter },
  );
  return rows;
}

export interface LinkFilter {
  kind: string | null;
  subId: string | null;
  currency: string;
  /** The id of the last link of the page before. */
  before: string | null;
  limit: number;
}
