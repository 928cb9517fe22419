/** The laws of the sums that are kept beside the rows, each as a query of its violations, like those beside it. */
export const TALLY_INVARIANTS = {
  /** What is kept of a day's delivered orders without a statement is what those orders come to. */
  unsettled_tallies_match_the_orders: `
    with kept as (
      select partner_id, environment, day, payment_model, currency, sum(orders) as orders,
        sum(gross_cents) as gross, sum(commission_cents) as commission
      from (
        select partner_id, environment, day, payment_model, currency, orders, gross_cents, commission_cents
        from unsettled_tallies
        union all
        select partner_id, environment, day, payment_model, currency, orders, gross_cents, commission_cents
        from unsettled_deltas) t
      group by 1, 2, 3, 4, 5 having sum(orders) <> 0 or sum(gross_cents) <> 0 or sum(commission_cents) <> 0),
    wanted as (
      select partner_id, environment, (transfer_completed_at at time zone 'UTC')::date as day, payment_model,
        currency, count(*) as orders, sum(sale_price_cents) as gross, sum(commission_cents) as commission
      from orders where transfer_completed_at is not null and settlement_id is null group by 1, 2, 3, 4, 5)
    select coalesce(w.partner_id, k.partner_id) || '/' || coalesce(w.environment, k.environment) || '/'
        || coalesce(w.currency, k.currency) || '/' || coalesce(w.day, k.day) as subject,
      'what the running statement counts of a day differs from its orders' as problem,
      coalesce(w.gross, 0) as expected, coalesce(k.gross, 0) as actual
    from wanted w full join kept k on (k.partner_id, k.environment, k.day, k.payment_model, k.currency)
      = (w.partner_id, w.environment, w.day, w.payment_model, w.currency)
    where (w.orders, w.gross, w.commission) is distinct from (k.orders, k.gross, k.commission)`,
} as const;
