/** The laws of what an order's price comes from, each as a query of its violations, like those beside it. */
export const PRICE_INVARIANTS = {
  /** What a partner owed for a sale follows from its price, its commission and who collected. */
  orders_add_up: `
    select o.id as subject, 'what the order says to be owed differs from its price and commission' as problem,
      w.owed as expected, o.amount_owed_cents as actual
    from orders o cross join lateral (select case o.payment_model when 'merchant_of_record'
        then o.sale_price_cents - o.commission_cents else 0 end as owed) w
    where o.amount_owed_cents <> w.owed`,

  /** An order that used up a quote is of that quote's listing, at its price and in its currency. */
  quotes_match_their_orders: `
    select q.order_id as subject,
      case when o.id is null then 'a quote was used for an order that is not there'
           else 'the order differs from the quote that it used' end as problem,
      q.price_cents as expected, coalesce(o.sale_price_cents, 0) as actual
    from quotes q left join orders o on o.id = q.order_id
    where q.order_id is not null and (o.id is null or q.state <> 'used'
      or (o.sale_price_cents, o.currency, o.partner_id, o.environment, o.listing_id)
         is distinct from (q.price_cents, q.currency, q.partner_id, q.environment, q.listing_id))`,

  /** The order of a brokerage deal says what its case says. */
  deals_match_their_orders: `
    select coalesce(o.id, c.order_id) as subject, 'the order differs from its brokerage case' as problem,
      coalesce(c.deal_price_cents, 0) as expected, coalesce(o.sale_price_cents, 0) as actual
    from (select * from orders where brokerage_case_id is not null) o
    full join (select * from brokerage_cases where order_id is not null) c on c.order_id = o.id
    where o.id is null or c.id is null
      or (o.sale_price_cents, o.commission_cents, o.currency, o.partner_id, o.environment, o.brokerage_case_id)
         is distinct from
         (c.deal_price_cents, c.commission_cents, c.currency, c.partner_id, c.environment, c.id)`,

  /** Every order that was taken back has its refund, of all that was paid and in the same currency. */
  refunds_match_their_orders: `
    select coalesce(o.id, r.order_id) as subject, 'the refund differs from its order' as problem,
      coalesce(o.sale_price_cents, 0) as expected, coalesce(r.amount_cents, 0) as actual
    from (select * from orders where status in ('REFUNDED', 'CANCELLED')) o
    full join refunds r on r.order_id = o.id
    where o.id is null or r.id is null
      or (r.amount_cents, r.currency, r.partner_id, r.environment)
         <> (o.sale_price_cents, o.currency, o.partner_id, o.environment)`,
} as const;
