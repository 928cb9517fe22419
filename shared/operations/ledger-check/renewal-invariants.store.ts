/** The invariants of domain renewals, each as a query for its violations. */
export const RENEWAL_INVARIANTS = {
  /**
   * Every paid renewal has its payment, which is refunded if and only if the renewal was taken back; and no other
   * payment is kept.
   */
  payments_match_their_renewals: `
    select coalesce(r.id, p.id) as subject,
      case when p.id is null then 'the renewal has no payment'
           when r.id is null then 'a payment was kept that renewed nothing'
           else 'the payment differs from its renewal' end as problem,
      coalesce(r.amount_cents, 0) as expected, coalesce(p.amount_cents, 0) as actual
    from (select * from renewals where payment_id is not null) r
    full join (select * from payments where renewal_id is not null
      and status in ('succeeded', 'refund_pending', 'refunded')) p on p.id = r.payment_id
    where (r.id is null and p.status = 'succeeded')
      or (r.id is not null and (p.id is null
        or (p.amount_cents, p.currency, p.renewal_id) <> (r.amount_cents, r.currency, r.id)
        or (p.status = 'succeeded') = (r.status = 'refunded')))`,

  /** Every paid renewal has one entry of its price, and one exact reversal if and only if it was taken back. */
  renewals_match_their_entries: `
    with wanted as (
      select id, 'renewal' as kind, currency, amount_cents as amount from renewals
      where payment_id is not null
      union all
      select id, 'renewal_refund', currency, -amount_cents from renewals where status = 'refunded'),
    posted as (
      select e.reference as id, e.kind, min(p.currency) as currency, max(p.currency) as other_currency,
        count(e.partner_id) as partners,
        coalesce(sum(p.amount_cents) filter (where p.account = 'cash'), 0) as cash,
        coalesce(sum(p.amount_cents) filter (where p.account = 'renewals'), 0) as renewals
      from ledger_entries e join ledger_postings p on p.entry_id = e.id
      where e.kind in ('renewal', 'renewal_refund') group by 1, 2)
    select coalesce(w.id, l.id) as subject,
      case when w.id is null then 'an entry (' || l.kind || ') that no renewal explains'
           when l.id is null then 'the renewal has no ' || w.kind || ' entry'
           else 'the ' || w.kind || ' entry differs from the renewal' end as problem,
      w.amount as expected, l.cash as actual
    from wanted w full join posted l on l.id = w.id and l.kind = w.kind
    where w.id is null or l.id is null or l.partners > 0
      or (l.currency, l.other_currency, l.cash, l.renewals)
         <> (w.currency, w.currency, w.amount, -w.amount)`,

  /** A document without a partner matches its renewal; a credit note reverses all of it. */
  documents_match_their_renewals: `
    select d.id as subject, 'the document differs from its renewal' as problem,
      case d.kind when 'credit_note' then -r.amount_cents else r.amount_cents end as expected,
      d.total_cents as actual
    from (select * from documents where partner_id is null) d left join renewals r on r.id = d.subject
    where r.id is null or r.status not in ('completed', 'refunded')
      or (d.kind = 'credit_note' and r.status <> 'refunded')
      or (d.total_cents, d.currency)
        <> (case d.kind when 'credit_note' then -r.amount_cents else r.amount_cents end, r.currency)`,
} as const;
