import type { Sql, Tx } from '../platform/db.ts';
import type { DayCounts } from './click-buffer.ts';

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
