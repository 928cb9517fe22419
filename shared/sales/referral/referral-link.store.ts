import type { Environment } from '../../platform/config/config.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import type { DayCounts } from './click-buffer.ts';
import type { AffiliateOwner, CodeTarget, ReferralLink } from './referral-link.ts';

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

/** Notes that a batch is counted; false when it was counted before. */
export async function insertBatch(tx: Tx, id: string, now: Date): Promise<boolean> {
  const { rowCount } = await tx.raw(
    `insert into referral_click_batches (id, applied_at) values (:id, :now) on conflict (id) do nothing`,
    { id, now },
  );
  return rowCount === 1;
}

/** Adds counts to their days; those of links that do not exist are dropped. */
export async function addCounts(tx: Tx, counts: readonly DayCounts[]): Promise<void> {
  await tx.raw(
    `insert into referral_daily as d (link_id, day, partner_id, environment, clicks, unique_clicks,
       checkouts)
     select l.id, c.day, l.partner_id, l.environment, c.clicks, c.unique_clicks, c.checkouts
     from unnest(:links::text[], :days::date[], :clicks::bigint[], :uniques::bigint[],
       :checkouts::bigint[]) as c (link_id, day, clicks, unique_clicks, checkouts)
     join referral_links l on l.id = c.link_id
     order by l.id, c.day
     on conflict (link_id, day) do update set clicks = d.clicks + excluded.clicks,
       unique_clicks = d.unique_clicks + excluded.unique_clicks,
       checkouts = d.checkouts + excluded.checkouts`,
    {
      links: counts.map((each) => each.linkId),
      days: counts.map((each) => each.day),
      clicks: counts.map((each) => each.clicks),
      uniques: counts.map((each) => each.uniqueClicks),
      checkouts: counts.map((each) => each.checkouts),
    },
  );
}

/** Forgets batches that were counted before an instant; returns how many. */
export async function deleteBatches(sql: Sql, before: Date): Promise<number> {
  const { rowCount } = await sql.raw(
    `delete from referral_click_batches where applied_at < :before`,
    { before },
  );
  return rowCount ?? 0;
}
