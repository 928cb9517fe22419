/** The laws of referral commissions, each as a query of its violations, like those beside it. */
export const REFERRAL_INVARIANTS = {
  /** Every attributed sale has its commission in the ledger once, and its reversal if it was taken back. */
  referrals_match_the_ledger: `
    with wanted as (
      select order_id as id, 'referral' as kind, partner_id, environment, currency,
        commission_cents as amount from referral_sales where commission_cents > 0
      union all
      select order_id, 'referral_reversal', partner_id, environment, currency, -commission_cents
      from referral_sales where commission_cents > 0 and state = 'reversed'),
    posted as (
      select e.reference as id, e.kind, min(e.partner_id) as partner_id, min(e.environment) as environment,
        min(p.currency) as currency, max(p.currency) as other_currency,
        coalesce(sum(p.amount_cents) filter (where p.account = 'referral_commission'), 0) as cost,
        coalesce(sum(p.amount_cents) filter (where p.account = 'referral_payable'), 0) as payable
      from ledger_entries e join ledger_postings p on p.entry_id = e.id
      where e.kind in ('referral', 'referral_reversal') group by e.reference, e.kind)
    select coalesce(w.id, l.id) as subject,
      case when w.id is null then 'a ' || l.kind || ' entry that no sale explains'
           else 'the ' || w.kind || ' entry differs from the sale' end as problem,
      w.amount as expected, l.cost as actual
    from wanted w full join posted l on l.id = w.id and l.kind = w.kind
    where w.id is null or l.id is null or (l.cost, l.payable) <> (w.amount, -w.amount)
      or (l.partner_id, l.environment, l.currency) <> (w.partner_id, w.environment, w.currency)
      or l.other_currency <> w.currency`,

  /** An attributed sale is its order's price, in its currency; its commission goes back with the order. */
  referrals_match_their_orders: `
    select s.order_id as subject, 'the attributed sale differs from its order' as problem,
      coalesce(o.sale_price_cents, 0) as expected, s.amount_cents as actual
    from referral_sales s left join orders o on o.id = s.order_id
    where o.id is null
      or (s.amount_cents, s.currency, s.environment) <> (o.sale_price_cents, o.currency, o.environment)
      or (s.state = 'reversed') <> (o.status in ('REFUNDED', 'CANCELLED'))`,

  /** The lines of a sale come to its commission, or to nothing once it was taken back. */
  commission_lines_match_the_sales: `
    with told as (
      select order_id, sum(amount_cents) as amount, min(currency) as currency_a, max(currency) as currency_b
      from referral_commissions where order_id is not null group by order_id)
    select coalesce(s.order_id, t.order_id) as subject,
      'the lines of the commission differ from the sale' as problem,
      case s.state when 'reversed' then 0 else s.commission_cents end as expected,
      coalesce(t.amount, 0) as actual
    from referral_sales s full join told t on t.order_id = s.order_id
    where s.order_id is null or t.currency_a <> s.currency or t.currency_b <> s.currency
      or coalesce(t.amount, 0) <> case s.state when 'reversed' then 0 else s.commission_cents end`,

  /**
   * A payout of commissions pays exactly what it carries, and is told in the history if it is paid; what is told
   * of one whose payment came back comes to nothing.
   */
  commission_payouts_match_their_sales: `
    with carried as (
      select id, sum(amount) as amount from (
        select payout_id as id, commission_cents as amount from referral_sales where payout_id is not null
        union all
        select recovery_payout_id, -commission_cents from referral_sales
        where recovery_payout_id is not null) c
      group by id),
    told as (
      select payout_id as id, min(currency) as currency_a, max(currency) as currency_b,
        sum(amount_cents) as amount
      from referral_commissions where payout_id is not null group by payout_id),
    wanted as (
      select id, currency, case status when 'failed' then 0 else amount_cents end as carried,
        case status when 'paid' then -amount_cents else 0 end as told
      from payouts where source = 'referral')
    select coalesce(w.id, c.id, t.id) as subject,
      'the payout differs from the commissions that it pays' as problem,
      coalesce(w.carried, 0) as expected, coalesce(c.amount, 0) as actual
    from wanted w full join carried c on c.id = w.id full join told t on t.id = coalesce(w.id, c.id)
    where w.id is null or (t.currency_a, t.currency_b) <> (w.currency, w.currency)
      or (w.carried, w.told) <> (coalesce(c.amount, 0), coalesce(t.amount, 0))`,

  /** An affiliate's balance is the sum of its lines, and each line says the sum up to it. */
  commission_balances_run: `
    with lines as (
      select id, partner_id, environment, currency, balance_cents,
        sum(amount_cents) over w as running,
        row_number() over (partition by partner_id, environment, currency order by position desc) as back
      from referral_commissions
      window w as (partition by partner_id, environment, currency order by position))
    select id as subject, 'the balance of the line is not the sum of the lines up to it' as problem,
      running as expected, balance_cents as actual
    from lines where running <> balance_cents
    union all
    select b.partner_id || '/' || b.environment || '/' || b.currency,
      'the balance differs from its lines', coalesce(l.running, 0), b.balance_cents
    from referral_balances b
    left join lines l on l.back = 1 and (l.partner_id, l.environment, l.currency)
      = (b.partner_id, b.environment, b.currency)
    where b.balance_cents <> coalesce(l.running, 0)`,
} as const;
