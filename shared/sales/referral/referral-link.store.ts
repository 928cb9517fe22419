import type { Environment } from '../../platform/config/config.ts';
import type { Tx } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  date,
  integer,
  json,
  nullable,
  numeric,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { DayCounts } from './click-buffer.ts';
import type { LinkKind } from './referral-link.ts';

const COLUMNS = `id, partner_id as "partnerId", environment, kind, domain, product, label,
  sub_id as "subId", code, commission_bps as "commissionBps", created_at as "createdAt"`;
const LINK = {
  id: text,
  partnerId: text,
  environment: textOf<Environment>(),
  kind: textOf<LinkKind>(),
  domain: nullable(text),
  product: nullable(text),
  label: nullable(text),
  subId: nullable(text),
  code: text,
  commissionBps: integer,
  createdAt: timestamptz,
};

/** Inserts a link. Inserts nothing if its code is taken. */
export const insertLink = defineStatement({
  params: LINK,
  text: `insert into referral_links (id, partner_id, environment, kind, domain, product, label, sub_id, code,
      commission_bps, created_at)
    values (:id, :partnerId, :environment, :kind, :domain, :product, :label, :subId, :code,
      :commissionBps, :createdAt)
    on conflict (code) do nothing`,
});

/** Selects the link of a code within an environment. */
export const selectLink = defineStatement({
  params: { environment: textOf<Environment>(), code: text },
  row: LINK,
  text: `select ${COLUMNS} from referral_links where code = :code and environment = :environment`,
});

const TARGET_COLUMNS = 'code, id, environment, kind, domain, product';
const TARGET = {
  code: text,
  id: text,
  environment: textOf<Environment>(),
  kind: textOf<LinkKind>(),
  domain: nullable(text),
  product: nullable(text),
};

/** Selects the targets of the codes that exist, of all affiliates. */
export const selectTargets = defineStatement({
  params: { codes: arrayOf(text) },
  row: TARGET,
  text: `select ${TARGET_COLUMNS} from referral_links where code = any(:codes)`,
});

/** Selects a page of all targets, by id. */
export const selectTargetPage = defineStatement({
  params: { after: text, limit: bigint },
  row: TARGET,
  text: `select ${TARGET_COLUMNS} from referral_links where id > :after order by id limit :limit`,
});

const LINK_STATS = {
  ...LINK,
  clicks: numeric,
  uniqueClicks: numeric,
  conversions: bigint,
  /** The sums of each currency that has sales, in its minor units, by currency. */
  sums: json<{ currency: string; gmvCents: number; commissionCents: number }[]>(),
};
/** A link with its statistics. Reversed sales don't count. */
export type LinkStats = RowOf<typeof LINK_STATS>;

/** Selects a page of an affiliate's links with their statistics, newest first. */
export const selectLinkStats = defineStatement({
  params: {
    partnerId: text,
    environment: textOf<Environment>(),
    kind: nullable(text),
    subId: nullable(text),
    linkId: nullable(text),
    before: nullable(text),
    limit: bigint,
  },
  row: LINK_STATS,
  text: `with page as (
      select * from referral_links
      where partner_id = :partnerId and environment = :environment
        and (:kind::text is null or kind = :kind) and (:subId::text is null or sub_id = :subId)
        and (:linkId::text is null or id = :linkId)
        and (:before::text is null or id < :before)
      order by id desc limit :limit)
    select ${COLUMNS}, d.clicks, d."uniqueClicks", s.conversions, s.sums
    from page p
    cross join lateral (
      select coalesce(sum(clicks), 0) as clicks, coalesce(sum(unique_clicks), 0) as "uniqueClicks"
      from referral_daily where link_id = p.id) d
    cross join lateral (
      select coalesce(sum(sales), 0)::bigint as conversions,
        coalesce(json_agg(json_build_object('currency', currency, 'gmvCents', gmv, 'commissionCents',
          commission) order by currency), '[]') as sums
      from (
        select currency, count(*) as sales, sum(amount_cents) as gmv, sum(commission_cents) as commission
        from referral_sales where link_id = p.id and state <> 'reversed' group by currency) c) s
    order by p.id desc`,
});

/** Records that a batch is counted. Inserts nothing if it was already counted. */
export const insertBatch = defineStatement({
  params: { id: text, now: timestamptz },
  text: `insert into referral_click_batches (id, applied_at) values (:id, :now)
    on conflict (id) do nothing`,
});

/** Adds counts to their daily rows. Drops the counts of links that do not exist. */
export const upsertCounts = defineStatement({
  params: {
    links: arrayOf(text),
    days: arrayOf(date),
    clicks: arrayOf(bigint),
    uniques: arrayOf(bigint),
    checkouts: arrayOf(bigint),
  },
  text: `insert into referral_daily as d (link_id, day, partner_id, environment, clicks, unique_clicks,
      checkouts)
    select l.id, c.day, l.partner_id, l.environment, c.clicks, c.unique_clicks, c.checkouts
    from unnest(:links::text[], :days::date[], :clicks::bigint[], :uniques::bigint[],
      :checkouts::bigint[]) as c (link_id, day, clicks, unique_clicks, checkouts)
    join referral_links l on l.id = c.link_id
    order by l.id, c.day
    on conflict (link_id, day) do update set clicks = d.clicks + excluded.clicks,
      unique_clicks = d.unique_clicks + excluded.unique_clicks,
      checkouts = d.checkouts + excluded.checkouts`,
});

/** A filter for an affiliate's links. */
export interface LinkFilter {
  kind: string | null;
  subId: string | null;
  /** The id of the last link of the previous page. */
  before: string | null;
  limit: number;
}

/** Adds counts to their daily rows; see {@link upsertCounts}. */
export async function writeCounts(tx: Tx, counts: readonly DayCounts[]): Promise<void> {
  await upsertCounts.run(tx, {
    links: counts.map((each) => each.linkId),
    days: counts.map((each) => each.day),
    clicks: counts.map((each) => each.clicks),
    uniques: counts.map((each) => each.uniqueClicks),
    checkouts: counts.map((each) => each.checkouts),
  });
}
