import type { Sql } from '../platform/db.ts';

/**
 * Folds up to `limit` of the oldest changes of what is unsettled into the tallies and returns how many. A
 * reader sees a change or its tally, never both or none.
 */
export async function foldUnsettledDeltas(sql: Sql, limit: number): Promise<number> {
  const { rows } = await sql.raw(
    `with taken as (
       delete from unsettled_deltas where id in (
         select id from unsettled_deltas order by id limit :limit for update skip locked)
       returning *),
     folded as (
       insert into unsettled_tallies as t (partner_id, environment, day, payment_model, currency, orders,
         gross_cents, commission_cents)
       select partner_id, environment, day, payment_model, currency, sum(orders), sum(gross_cents),
         sum(commission_cents)
       from taken group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
       on conflict (partner_id, environment, day, payment_model, currency) do update
         set orders = t.orders + excluded.orders, gross_cents = t.gross_cents + excluded.gross_cents,
           commission_cents = t.commission_cents + excluded.commission_cents)
     select count(*) as folded from taken`,
    { limit },
  );
  return rows[0].folded;
}
