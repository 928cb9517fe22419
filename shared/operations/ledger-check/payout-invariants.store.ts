/** The invariants of the commissions that we owe, each as a query for its violations. */
export const PAYOUT_INVARIANTS = {
  /** A closed statement adds the commissions of those lines to our payables whose price we collected. */
  payables_match_their_lines: `
    select coalesce(w.id, y.settlement_id) || '/' || coalesce(w.source, y.source) as subject,
      'what the statement adds to our debts differs from its lines' as problem,
      coalesce(w.amount, 0) as expected, coalesce(y.amount_cents, 0) as actual
    from (
      select s.id, l.payment_model as source, s.partner_id, s.environment, s.currency,
        sum(l.commission_cents) as amount
      from settlements s join settlement_lines l on l.settlement_id = s.id
      where s.status <> 'closing' and l.payment_model <> 'merchant_of_record'
      group by s.id, s.partner_id, s.environment, s.currency, l.payment_model
      having sum(l.commission_cents) <> 0) w
    full join settlement_payables y on y.settlement_id = w.id and y.source = w.source
    where w.id is null or y.settlement_id is null or y.amount_cents <> w.amount
      or (y.partner_id, y.environment, y.currency) <> (w.partner_id, w.environment, w.currency)`,

  /** A payout pays exactly the payables that it took; a failed one has released all of them. */
  payouts_match_their_payables: `
    with taken as (
      select payout_id as id, partner_id, environment, currency, source, amount_cents as amount
      from settlement_payables where payout_id is not null
      union all
      select payout_id, partner_id, environment, currency, 'referral', commission_cents
      from referral_sales where payout_id is not null
      union all
      select recovery_payout_id, partner_id, environment, currency, 'referral', -commission_cents
      from referral_sales where recovery_payout_id is not null)
    select coalesce(p.id, t.id) as subject, 'the payout differs from what it pays' as problem,
      case when p.status <> 'failed' then p.amount_cents else 0 end as expected,
      coalesce(sum(t.amount), 0) as actual
    from payouts p full join taken t on t.id = p.id
    group by 1, p.id, p.status, p.amount_cents
    having p.id is null
      or coalesce(sum(t.amount), 0) <> case when p.status <> 'failed' then p.amount_cents else 0 end
      or bool_or((t.partner_id, t.environment, t.currency, t.source)
        <> (p.partner_id, p.environment, p.currency, p.source))`,

  /**
   * Each payout was deducted from our payables once. A paid one left the bank; a failed one was credited back. A payout
   * whose payment was returned left the bank and came back.
   */
  payouts_match_the_ledger: `
    with posted as (
      select e.reference as id,
        coalesce(sum(p.amount_cents) filter (where e.kind = 'payout'
          and p.account in ('partner_payable', 'referral_payable')), 0) as taken,
        coalesce(sum(p.amount_cents) filter (where e.kind = 'payout_failure'
          and p.account in ('partner_payable', 'referral_payable')), 0) as given_back,
        coalesce(sum(p.amount_cents) filter (where e.kind = 'payout_payment'
          and p.account = 'cash'), 0) as cash,
        coalesce(sum(p.amount_cents) filter (where e.kind = 'payout_payment_reversal'
          and p.account = 'cash'), 0) as returned,
        coalesce(sum(p.amount_cents) filter (where p.account = 'payouts_in_transit'), 0) as transit,
        bool_and(p.account in ('payouts_in_transit', 'cash') or p.account =
          case when y.source = 'referral' then 'referral_payable' else 'partner_payable' end) as accounts,
        bool_and((p.partner_id, p.environment, p.currency)
          = (y.partner_id, y.environment, y.currency)) as same
      from ledger_entries e join ledger_postings p on p.entry_id = e.id
        left join payouts y on y.id = e.reference
      where e.kind in ('payout', 'payout_payment', 'payout_payment_reversal', 'payout_failure')
      group by e.reference)
    select coalesce(w.id, l.id) as subject,
      case when w.id is null then 'a payout entry without its payout'
           else 'the ledger differs from the payout' end as problem,
      case w.status when 'pending' then -w.amount_cents else 0 end as expected, l.transit as actual
    from payouts w full join posted l on l.id = w.id
    where w.id is null or l.id is null or not l.accounts or not l.same
      or (l.taken, l.given_back, l.cash, l.returned, l.transit) <> (w.amount_cents,
        case w.status when 'failed' then -w.amount_cents else 0 end,
        case when w.status = 'paid' or w.reversal_reference is not null then -w.amount_cents else 0 end,
        case when w.reversal_reference is not null then w.amount_cents else 0 end,
        case w.status when 'pending' then -w.amount_cents else 0 end)`,

  /** What we owe a partner and what is being paid to it match its orders and payouts, to the cent. */
  payables_match_the_orders: `
    with wanted as (
      select account, partner_id, environment, currency, sum(amount) as amount from (
        select 'partner_payable' as account, partner_id, environment, currency, -commission_cents as amount
        from orders where payment_model <> 'merchant_of_record' and status not in ('REFUNDED', 'CANCELLED')
        union all
        select 'referral_payable', partner_id, environment, currency, -commission_cents
        from referral_sales where state <> 'reversed'
        union all
        select case source when 'referral' then 'referral_payable' else 'partner_payable' end, partner_id,
          environment, currency, amount_cents
        from payouts where status <> 'failed'
        union all
        select 'payouts_in_transit', partner_id, environment, currency, -amount_cents from payouts
        where status = 'pending') a
      group by account, partner_id, environment, currency),
    posted as (
      select account, partner_id, environment, currency, sum(amount_cents) as amount
      from ledger_postings where account in ('partner_payable', 'referral_payable', 'payouts_in_transit')
      group by account, partner_id, environment, currency)
    select coalesce(w.partner_id, l.partner_id) || '/' || coalesce(w.environment, l.environment) || '/'
        || coalesce(w.currency, l.currency) as subject,
      'the balance of ' || coalesce(w.account, l.account) || ' differs from the orders and payouts' as problem,
      coalesce(w.amount, 0) as expected, coalesce(l.amount, 0) as actual
    from wanted w full join posted l on l.account = w.account and l.partner_id = w.partner_id
      and l.environment = w.environment and l.currency = w.currency
    where coalesce(w.amount, 0) <> coalesce(l.amount, 0)`,
} as const;

/** The invariants of referral commissions, each as a query for its violations. */
export const REFERRAL_INVARIANTS = {
  /** Every attributed sale has its commission in the ledger once, and its reversal if the sale was taken back. */
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

  /** An attributed sale has its order's price and currency; its commission is reversed with the order. */
  referrals_match_their_orders: `
    select s.order_id as subject, 'the attributed sale differs from its order' as problem,
      coalesce(o.sale_price_cents, 0) as expected, s.amount_cents as actual
    from referral_sales s left join orders o on o.id = s.order_id
    where o.id is null
      or (s.amount_cents, s.currency, s.environment) <> (o.sale_price_cents, o.currency, o.environment)
      or (s.state = 'reversed') <> (o.status in ('REFUNDED', 'CANCELLED'))`,

  /** The lines of a sale sum to its commission, or to zero once the sale was taken back. */
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
   * A commission payout pays exactly the sales that it includes, and is in the history if it is paid; the history
   * lines of a returned payment sum to zero.
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

  /** An affiliate's balance is the sum of its lines, and each line has the running balance. */
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
