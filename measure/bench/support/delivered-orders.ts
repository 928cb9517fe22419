import type pg from 'pg';

interface Owner {
  partnerId: string;
  environment: string;
}

/** Inserts orders delivered on one day two months ago, in no statement yet, without foreign key checks. */
export async function givenDelivered(
  pool: pg.Pool,
  { partnerId, environment }: Owner,
  count: number,
  now: Date,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into orders (id, partner_id, environment, listing_id, domain, status, payment_model,
         sale_price_cents, commission_bps, commission_cents, amount_owed_cents, currency, buyer_email,
         created_at, updated_at, transfer_completed_at)
       select 'ord_' || lpad(n::text, 26, '0'), $1, $2, n, 'domain' || n || '.com', 'TRANSFER_COMPLETED',
         'merchant_of_record', 10000 + n % 1000, 1500, (10000 + n % 1000) * 15 / 100,
         10000 + n % 1000 - (10000 + n % 1000) * 15 / 100, 'USD', 'buyer@example.com', at, at, at
       from (select n, date_trunc('month', $4::timestamptz - interval '2 months') + interval '10 days'
                 + n * 80000.0 / $3 * interval '1 second' as at
             from generate_series(1, $3::integer) n) o`,
      [partnerId, environment, count, now],
    );
    await client.query('set session_replication_role = origin');
    await client.query('vacuum analyze orders');
  } finally {
    client.release();
  }
}

/** Writes the rows of settling those orders as hand-written SQL would. */
export async function settleBySql(
  pool: pg.Pool,
  { partnerId, environment }: Owner,
  now: Date,
): Promise<void> {
  const client = await pool.connect();
  const owner = [partnerId, environment];
  try {
    await client.query('begin');
    await client.query(
      `insert into settlements (id, partner_id, environment, currency, period_start, period_end, status, created_at)
       values ('bare', $1, $2, 'USD', $3::timestamptz - interval '1 month', $3, 'closing', $3)`,
      [...owner, now],
    );
    await client.query(
      `update orders set settlement_id = 'bare', status = 'SETTLED', settled_at = $3, updated_at = $3
       where partner_id = $1 and environment = $2 and settlement_id is null and transfer_completed_at <= $3`,
      [...owner, now],
    );
    await client.query(
      `insert into order_timeline (order_id, at, status, event)
       select id, $1, 'SETTLED', 'order.settled' from orders where settlement_id = 'bare'`,
      [now],
    );
    await client.query(
      `insert into settlement_lines (order_id, kind, settlement_id, domain, payment_model,
         sale_price_cents, commission_cents, amount_owed_cents, occurred_at)
       select id, 'sale', 'bare', domain, payment_model, sale_price_cents, commission_cents,
         sale_price_cents - commission_cents, transfer_completed_at
       from orders where settlement_id = 'bare'`,
    );
    await client.query(
      `insert into events (id, partner_id, environment, position, type, subject, body, created_at)
       select 'evt_' || substr(id, 5), $1, $2, row_number() over (order by id), 'order.settled', id,
         json_build_object('id', 'evt_' || substr(id, 5), 'type', 'order.settled', 'created_at', $3::timestamptz,
           'partner_id', $1::text, 'data', json_build_object('order', json_build_object('public_id', id,
             'domain', domain, 'status', 'SETTLED', 'sale_price_cents', sale_price_cents,
             'currency', currency)))::text, $3
       from orders where settlement_id = 'bare'`,
      [...owner, now],
    );
    await client.query(
      `update settlements s set status = 'closed', orders_count = t.count, gross_sold_cents = t.gross,
         commission_retained_cents = t.commission, amount_owed_cents = t.owed, closed_at = $1
       from (select count(*), sum(sale_price_cents) as gross, sum(commission_cents) as commission,
               sum(amount_owed_cents) as owed from settlement_lines where settlement_id = 'bare') t
       where id = 'bare'`,
      [now],
    );
    await client.query('commit');
  } finally {
    client.release();
  }
}
