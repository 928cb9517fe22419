/** The laws of commissions that we owe, each as a query of its violations, like those beside it. */
export const PAYOUT_INVARIANTS = {
  /** What a closed statement adds to our debts are the commissions of its lines that we collected. */
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

  /** A payout pays exactly what it took; one that failed has given everything back. */
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
   * Each payout left our debts once; it left the bank if it was paid, and came back if it failed. One whose payment
   * was returned left the bank and came back.
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

  /** What we owe a partner and what is on its way to it is what the orders and payouts say, to the cent. */
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
