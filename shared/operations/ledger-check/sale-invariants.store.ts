/** The invariants of order prices and their sources, each as a query for its violations. */
export const PRICE_INVARIANTS = {
  /** What a partner owed for a sale follows from the price, the commission and who collected. */
  orders_add_up: `
    select o.id as subject, 'what the order says to be owed differs from its price and commission' as problem,
      w.owed as expected, o.amount_owed_cents as actual
    from orders o cross join lateral (select case o.payment_model when 'merchant_of_record'
        then o.sale_price_cents - o.commission_cents else 0 end as owed) w
    where o.amount_owed_cents <> w.owed`,

  /** An order that used a quote has that quote's listing, price and currency. */
  quotes_match_their_orders: `
    select coalesce(o.id, q.order_id) as subject,
      case when o.id is null then 'a quote was used for an order that is not there'
           else 'the order differs from the quote that it used' end as problem,
      q.price_cents as expected, coalesce(o.sale_price_cents, 0) as actual
    from quotes q left join orders o on o.id = q.order_id
    where q.order_id is not null and (o.id is null or q.state <> 'used'
      or (o.sale_price_cents, o.currency, o.partner_id, o.environment, o.listing_id)
         is distinct from (q.price_cents, q.currency, q.partner_id, q.environment, q.listing_id))`,

  /** The order of a brokerage deal matches its case. */
  deals_match_their_orders: `
    select coalesce(o.id, c.order_id) as subject, 'the order differs from its brokerage case' as problem,
      coalesce(c.deal_price_cents, 0) as expected, coalesce(o.sale_price_cents, 0) as actual
    from (select * from orders where brokerage_case_id is not null) o
    full join (select * from brokerage_cases where order_id is not null) c on c.order_id = o.id
    where o.id is null or c.id is null
      or (o.sale_price_cents, o.commission_cents, o.currency, o.partner_id, o.environment, o.brokerage_case_id)
         is distinct from
         (c.deal_price_cents, c.commission_cents, c.currency, c.partner_id, c.environment, c.id)`,

  /** Every order that was taken back has a refund of the full amount, in the same currency. */
  refunds_match_their_orders: `
    select coalesce(o.id, r.order_id) as subject, 'the refund differs from its order' as problem,
      coalesce(o.sale_price_cents, 0) as expected, coalesce(r.amount_cents, 0) as actual
    from (select * from orders where status in ('REFUNDED', 'CANCELLED')) o
    full join refunds r on r.order_id = o.id
    where o.id is null or r.id is null
      or (r.amount_cents, r.currency, r.partner_id, r.environment)
         <> (o.sale_price_cents, o.currency, o.partner_id, o.environment)`,
} as const;

/** The invariants of payments that buyers made on our own page, each as a query for its violations. */
export const PAYMENT_INVARIANTS = {
  /**
   * Every order of a checkout session has its payment, which is refunded if and only if the order was taken back; and
   * no other payment is kept.
   */
  payments_match_their_orders: `
    select coalesce(o.id, p.id) as subject,
      case when p.id is null then 'the order has no payment'
           when o.id is null then 'a payment was kept that bought nothing'
           else 'the payment differs from its order' end as problem,
      coalesce(o.sale_price_cents, 0) as expected, coalesce(p.amount_cents, 0) as actual
    from (select * from orders where checkout_session_id is not null) o
    full join (select * from payments where checkout_session_id is not null
      and (order_id is not null or status = 'succeeded')) p
      on p.order_id = o.id
    where o.id is null or p.id is null
      or (p.amount_cents, p.currency, p.partner_id, p.environment, p.checkout_session_id)
         <> (o.sale_price_cents, o.currency, o.partner_id, o.environment, o.checkout_session_id)
      or p.status not in ('succeeded', 'refund_pending', 'refunded')
      or (p.status = 'succeeded') = (o.status in ('REFUNDED', 'CANCELLED'))`,
} as const;

/** The invariants of stored sums, each as a query for its violations. */
export const TALLY_INVARIANTS = {
  /** The stored sum of a day's delivered orders without a statement is the sum of those orders. */
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
