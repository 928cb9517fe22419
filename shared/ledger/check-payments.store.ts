/** The laws of money that buyers paid on our own page, each as a query of its violations, like those beside it. */
export const PAYMENT_INVARIANTS = {
  /**
   * Every order of a checkout session has the payment that bought it, which goes back if and only if the
   * order was taken back; and no other payment is kept.
   */
  payments_match_their_orders: `
    select coalesce(o.id, p.id) as subject,
      case when p.id is null then 'the order has no payment'
           when o.id is null then 'a payment was kept that bought nothing'
           else 'the payment differs from its order' end as problem,
      coalesce(o.sale_price_cents, 0) as expected, coalesce(p.amount_cents, 0) as actual
    from (select * from orders where checkout_session_id is not null) o
    full join (select * from payments where order_id is not null or status = 'succeeded') p
      on p.order_id = o.id
    where o.id is null or p.id is null
      or (p.amount_cents, p.currency, p.partner_id, p.environment, p.checkout_session_id)
         <> (o.sale_price_cents, o.currency, o.partner_id, o.environment, o.checkout_session_id)
      or p.status not in ('succeeded', 'refund_pending', 'refunded')
      or (p.status = 'succeeded') = (o.status in ('REFUNDED', 'CANCELLED'))`,
} as const;
