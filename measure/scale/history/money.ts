import type { Filling } from './filling.ts';

/** Statements, ledger entries and documents: the accounting of each order. */
export function money(): Filling[] {
  return [
    [
      'settlements',
      `insert into settlements (id, partner_id, environment, currency, period_start, period_end, status, orders_count,
         gross_sold_cents, commission_retained_cents, amount_owed_cents, closed_at, due_at, paid_at, payment_reference,
         created_at)
       select settlement_id, partner_id, environment, 'USD', period, until, 'paid', count(*), sum(sale_price_cents),
         sum(commission_cents), sum(amount_owed_cents), until, until + interval '14 days', until + interval '10 days',
         'wire', until
       from (select *, date_trunc('month', created_at, 'UTC') as period, settled_at as until from orders
             where settlement_id is not null) o
       group by settlement_id, partner_id, environment, period, until`,
    ],
    [
      'settlement_lines',
      `insert into settlement_lines (order_id, kind, settlement_id, domain, payment_model, sale_price_cents,
         commission_cents, amount_owed_cents, occurred_at)
       select id, 'sale', settlement_id, domain, payment_model, sale_price_cents, commission_cents, amount_owed_cents,
         transfer_completed_at from orders where settlement_id is not null`,
    ],
    [
      'ledger_entries',
      `insert into ledger_entries (id, kind, reference, partner_id, environment, order_id, created_at)
       select replace(id, 'ord', 'txn'), 'sale', id, partner_id, environment, id, created_at from orders
       union all
       select replace(order_id, 'ord', 'txr'), 'refund', order_id, partner_id, environment, order_id, created_at
       from refunds
       union all
       select replace(id, 'stl', 'txn'), 'settlement', id, partner_id, environment, null, closed_at from settlements
       where amount_owed_cents > 0`,
    ],
    [
      'ledger_postings',
      `insert into ledger_postings (entry_id, line, account, partner_id, environment, currency, amount_cents)
       select e.id, p.line, p.account, e.partner_id, e.environment, 'USD', p.cents * case e.kind when 'sale' then 1 else -1 end
       from ledger_entries e join orders o on o.id = e.order_id
       cross join lateral (values
         (1::smallint, case o.payment_model when 'merchant_of_record' then 'partner_clearing' else 'cash' end,
           o.sale_price_cents - case o.payment_model when 'merchant_of_record' then o.commission_cents else 0 end),
         (2, 'partner_commission', o.commission_cents), (3, 'sales', -o.sale_price_cents),
         (4, 'partner_payable', case o.payment_model when 'merchant_of_record' then 0 else -o.commission_cents end))
         as p (line, account, cents)
       where p.cents <> 0
       union all
       select replace(id, 'stl', 'txn'), line, account, partner_id, environment, 'USD', sign * amount_owed_cents
       from settlements, (values (1::smallint, 'partner_receivable', 1), (2, 'partner_clearing', -1)) p (line, account, sign)
       where amount_owed_cents > 0`,
    ],
    [
      'transaction_tallies',
      `insert into transaction_tallies
       select partner_id, environment, (created_at at time zone 'UTC')::date, status, payment_model, currency, count(*),
         sum(sale_price_cents), sum(commission_cents) from orders group by 1, 2, 3, 4, 5, 6`,
    ],
    [
      'unsettled_tallies',
      `insert into unsettled_tallies
       select partner_id, environment, (transfer_completed_at at time zone 'UTC')::date, payment_model, currency, count(*),
         sum(sale_price_cents), sum(commission_cents)
       from orders where transfer_completed_at is not null and settlement_id is null group by 1, 2, 3, 4, 5`,
    ],
    [
      'partner_daily_figures',
      `insert into partner_daily_figures
       select partner_id, environment, day, 'orders', '', sum(transactions) from transaction_tallies group by 1, 2, 3`,
    ],
    [
      'document_series',
      `insert into document_series select distinct environment, partner_id, 'statement',
         extract(year from period_start)::int, 12 from settlements`,
    ],
    [
      'documents',
      `insert into documents (id, environment, issuer, kind, year, number, partner_id, subject, currency, total_cents,
         tax_cents, content, sha256, issued_at)
       select replace(id, 'stl', 'doc'), environment, partner_id, 'statement', extract(year from period_start)::int,
         extract(month from period_start)::int, partner_id, id, 'USD', amount_owed_cents, 0, content,
         encode(sha256(convert_to(content, 'UTF8')), 'hex'), closed_at
       from settlements, lateral (select '{"statement":"' || id || '","lines":"' || repeat('x', 600) || '"}' as content) c
       union all
       select replace(id, 'ord', 'doc'), environment, 'marketplace', 'invoice', extract(year from created_at)::int,
         listing_id, partner_id, id, 'USD', sale_price_cents, 0, content,
         encode(sha256(convert_to(content, 'UTF8')), 'hex'), created_at
       from orders, lateral (select '{"invoice":"' || id || '","lines":"' || repeat('x', 600) || '"}' as content) c
       where payment_model = 'hosted_checkout'`,
    ],
  ];
}
