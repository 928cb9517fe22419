/**
 * The invariants of issued documents, each as a query for its violations. They compare documents with orders,
 * statements and payouts, which other invariants compare with the ledger.
 */
export const DOCUMENT_INVARIANTS = {
  /** A buyer's document matches its order; a credit note reverses all of it. */
  documents_match_their_orders: `
    select d.id as subject, 'the document differs from its order' as problem,
      case d.kind when 'credit_note' then -o.sale_price_cents else o.sale_price_cents end as expected,
      d.total_cents as actual
    from documents d left join orders o on o.id = d.subject
    where d.kind in ('receipt', 'invoice', 'credit_note') and d.partner_id is not null and (o.id is null
      or o.payment_model = 'merchant_of_record'
      or (d.kind = 'credit_note' and o.status not in ('REFUNDED', 'CANCELLED'))
      or (d.total_cents, d.currency, d.partner_id, d.environment)
        <> (case d.kind when 'credit_note' then -o.sale_price_cents else o.sale_price_cents end,
          o.currency, o.partner_id, o.environment))`,

  /** A statement's documents match what it owes, and the commissions of its lines. */
  documents_match_their_statements: `
    select d.id as subject, 'the document differs from its statement' as problem,
      case d.kind when 'statement' then s.amount_owed_cents else l.commission end as expected,
      d.total_cents as actual
    from documents d left join settlements s on s.id = d.subject
    left join (select settlement_id, sum(commission_cents) as commission
      from settlement_lines group by settlement_id) l on l.settlement_id = d.subject
    where d.kind in ('statement', 'self_billing') and (s.id is null or l.settlement_id is null
      or s.status = 'closing'
      or (d.total_cents, d.currency, d.partner_id, d.environment)
        <> (case d.kind when 'statement' then s.amount_owed_cents else l.commission end,
          s.currency, s.partner_id, s.environment))`,

  /** A payout's advice matches what was paid. */
  documents_match_their_payouts: `
    select d.id as subject, 'the document differs from its payout' as problem,
      p.amount_cents as expected, d.total_cents as actual
    from documents d left join payouts p on p.id = d.subject
    where d.kind = 'payout_advice' and (p.id is null or p.status = 'pending'
      or (d.total_cents, d.currency, d.partner_id, d.environment)
        <> (p.amount_cents, p.currency, p.partner_id, p.environment))`,

  /** Each series has all numbers from 1 to its last. */
  document_numbers_have_no_gaps: `
    select s.environment || '/' || s.issuer || '/' || s.kind || '/' || s.year as subject,
      'the series lacks documents' as problem, s.last_number as expected, coalesce(d.documents, 0) as actual
    from document_series s left join (
      select environment, issuer, kind, year, count(*) as documents, min(number) as first,
        max(number) as last
      from documents group by environment, issuer, kind, year) d using (environment, issuer, kind, year)
    where (coalesce(d.documents, 0), d.first, d.last) is distinct from (s.last_number, 1, s.last_number)`,
} as const;
