import { ago, DAY_MS, type Filling, type HistorySize } from './filling.ts';

/** Listings, orders, and everything that leads to an order or follows from it. */
export function sales({ orders }: HistorySize, now: Date): Filling[] {
  const quarter = ago(now, 90);
  const month = ago(now, 30);
  const price = '10000 + n % 900 * 100';
  return [
    [
      'listings',
      `insert into listings (id, environment, domain, domain_unicode, sld, tld, status, price_cents, floor_price_cents,
         category, description, keywords, listed_at, updated_at)
       overriding system value
       select n, pg_temp.environment(n), 'name' || n || '.com', 'name' || n || '.com', 'name' || n, 'com',
         case when n <= ${orders} then 'sold' else 'listed' end, ${price}, 10000, 'Business',
         'A short name for a business that sells things', '{business,shop}',
         pg_temp.at(pg_temp.order_ms(least(n, ${orders} - 1)) - ${DAY_MS}), pg_temp.at(pg_temp.order_ms(least(n, ${orders})))
       from generate_series(1, ${Math.ceil(orders * 1.2)}) n`,
    ],
    [
      'orders',
      `insert into orders (id, partner_id, environment, listing_id, domain, status, payment_model, sale_price_cents,
         commission_bps, commission_cents, amount_owed_cents, currency, buyer_email, buyer_name, buyer_country,
         external_payment_ref, created_at, updated_at, transfer_completed_at, settled_at, settlement_id,
         checkout_session_id)
       select id, partner_id, environment, n, 'name' || n || '.com', status, model, price, 1500, price * 15 / 100,
         case when model = 'merchant_of_record' and status <> 'REFUNDED' then price - price * 15 / 100 else 0 end,
         'USD', 'buyer' || n || '@example.com', 'Buyer ' || n, 'DE', 'ref-' || n, at, at + interval '2 days',
         case when status in ('SETTLED', 'TRANSFER_COMPLETED') then at + interval '2 days' end,
         case when status = 'SETTLED' then date_trunc('month', at, 'UTC') + interval '1 month' end,
         case when status = 'SETTLED' then replace(pg_temp.id('stl', pg_temp.ms(date_trunc('month', at, 'UTC')),
           ('x' || right(partner_id, 8))::bit(32)::bigint), 'stl_', case environment when 'LIVE' then 'stl_' else 'stl_t' end) end,
         case when model = 'hosted_checkout' then replace(id, 'ord', 'cks') end
       from (
         select n, pg_temp.id('ord', pg_temp.order_ms(n), n) as id, pg_temp.partner(n) as partner_id,
           pg_temp.environment(n) as environment, pg_temp.at(pg_temp.order_ms(n)) as at, ${price} as price,
           case when n % 10 = 1 then 'hosted_checkout' else 'merchant_of_record' end as model,
           case when n % 50 = 7 then 'REFUNDED' when n < ${orders} * 0.9 then 'SETTLED'
             when n < ${orders} * 0.995 then 'TRANSFER_COMPLETED' when n % 20 = 0 then 'MANUAL_REVIEW'
             when n % 2 = 0 then 'TRANSFER_IN_PROGRESS' else 'EXTERNALLY_PAID' end as status
         from generate_series(1::bigint, ${orders}) n) o`,
    ],
    [
      'order_search',
      'insert into order_search (order_id, domain, buyer_email) select id, domain, buyer_email from orders order by id',
    ],
    [
      'order_timeline',
      `insert into order_timeline (order_id, at, status, event)
       select o.id, o.created_at + k * interval '1 hour', s, e
       from orders o, unnest(array['EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'SETTLED'],
         array['order.recorded', 'order.transfer_started', 'order.transfer_completed', 'order.settled'])
         with ordinality as t (s, e, k)
       where k = 1 or o.status in ('SETTLED', 'TRANSFER_COMPLETED') and (k < 4 or o.status = 'SETTLED')
       order by o.created_at`,
    ],
    [
      'transfers',
      `insert into transfers (id, order_id, partner_id, environment, status, method, registrar, attempts, created_at,
         updated_at)
       select replace(id, 'ord', 'trf'), id, partner_id, environment,
         case when status in ('SETTLED', 'TRANSFER_COMPLETED') then 'completed' when status = 'REFUNDED' then 'cancelled'
           else 'queued' end, 'push', 'partner-registrar', 1, created_at, updated_at from orders`,
    ],
    [
      'quotes',
      `insert into quotes (id, partner_id, environment, listing_id, price_cents, currency, state, created_at, expires_at,
         order_id)
       select replace(id, 'ord', q), partner_id, environment, listing_id, sale_price_cents, 'USD', s,
         created_at - interval '5 minutes', created_at + interval '5 minutes', case s when 'used' then id end
       from orders, unnest(array['qte', 'qtx'], array['used', 'expired']) t (q, s) where created_at > ${month}`,
    ],
    [
      'checkout_sessions',
      `insert into checkout_sessions (id, partner_id, environment, listing_id, domain, price_cents, currency,
         commission_bps, status, buyer_email, order_id, created_at, updated_at, price_locked_until, expires_at)
       select checkout_session_id, partner_id, environment, listing_id, domain, sale_price_cents, 'USD', 1500, 'paid',
         buyer_email, id, created_at, created_at, created_at, created_at + interval '7 days'
       from orders where checkout_session_id is not null
       union all
       select replace(id, 'ord', 'ckx'), partner_id, environment, listing_id, domain, sale_price_cents, 'USD', 1500,
         'expired', null, null, created_at, created_at, created_at, created_at + interval '7 days'
       from orders where created_at > ${quarter} and listing_id % 4 = 0`,
    ],
    [
      'payments',
      `insert into payments (id, partner_id, environment, checkout_session_id, attempt, provider, provider_reference,
         status, amount_cents, currency, order_id, created_at, updated_at, check_at)
       select replace(id, 'cks', 'pmt'), partner_id, environment, id, 1, 'sandbox', 'ref-' || id, 'succeeded', price_cents,
         'USD', order_id, created_at, created_at, created_at from checkout_sessions where order_id is not null`,
    ],
    [
      'refunds',
      `insert into refunds (id, order_id, partner_id, environment, kind, amount_cents, currency, reason, requested_by,
         created_at)
       select replace(id, 'ord', 'rfd'), id, partner_id, environment, 'refund', sale_price_cents, 'USD', 'other',
         'partner', updated_at from orders where status = 'REFUNDED'`,
    ],
    [
      'brokerage_cases',
      `insert into brokerage_cases (id, partner_id, environment, domain, tier, status, buyer_email, budget_cents,
         currency, created_at, updated_at, closed_at)
       select replace(id, 'ord', 'brk'), partner_id, environment, 'sought-' || domain, 'managed',
         case when created_at < ${month} then 'CLOSED_NO_DEAL' else 'OPEN' end, '', sale_price_cents, 'USD', created_at,
         updated_at, case when created_at < ${month} then updated_at end from orders where listing_id % 100 = 3`,
    ],
    [
      'brokerage_timeline',
      `insert into brokerage_timeline (case_id, at, status, event, made_by)
       select id, created_at, 'OPEN', 'opened', 'partner' from brokerage_cases, generate_series(1, 3)`,
    ],
    [
      'offers',
      `insert into offers (id, partner_id, environment, listing_id, domain, status, amount_cents, currency, created_at,
         updated_at, expires_at)
       select replace(id, 'ord', 'ofr'), partner_id, environment, listing_id, domain, 'EXPIRED', sale_price_cents / 2,
         'USD', created_at, updated_at, updated_at from orders where listing_id % 50 = 9`,
    ],
    [
      'referral_sales',
      `insert into referral_sales (order_id, link_id, partner_id, environment, amount_cents, commission_cents, currency,
         state, sold_at)
       select o.id, l.id, l.partner_id, o.environment, o.sale_price_cents, o.sale_price_cents / 20, 'USD', 'pending',
         o.created_at
       from orders o join (select *, row_number() over (order by id) as n, count(*) over () as all_of from referral_links) l
         on l.n = 1 + o.listing_id / 20 % l.all_of where o.listing_id % 20 = 1`,
    ],
    [
      'referral_commissions',
      `insert into referral_commissions (id, partner_id, environment, currency, type, amount_cents, balance_cents,
         order_id, created_at)
       select replace(order_id, 'ord', 'cmn'), partner_id, environment, 'USD', 'accrued', commission_cents,
         sum(commission_cents) over (partition by partner_id, environment order by sold_at, order_id), order_id, sold_at
       from referral_sales order by sold_at`,
    ],
    [
      'referral_balances',
      `insert into referral_balances select partner_id, environment, currency, sum(commission_cents)
       from referral_sales group by 1, 2, 3`,
    ],
  ];
}
