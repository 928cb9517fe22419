import type pg from 'pg';

/**
 * Creates a year of one partner's orders with their ledger entries, every fiftieth refunded, inside the database.
 * Foreign keys and the ledger's balance are not checked meanwhile; the tallies are updated.
 */
export async function givenTransactions(
  pool: pg.Pool,
  owner: { partnerId: string; environment: string },
  count: number,
  now: Date,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`
      alter table orders enable always trigger orders_tally_insert;
      alter table refunds enable always trigger refunds_tally_insert;
      set session_replication_role = replica`);
    await client.query(
      `insert into orders (id, partner_id, environment, listing_id, domain, status, payment_model,
         sale_price_cents, commission_bps, commission_cents, amount_owed_cents, currency, buyer_email,
         brokerage_case_id, created_at, updated_at)
       select 'ord_' || lpad(n::text, 26, '0'), $1, $2, n, 'domain' || n || '.com',
         case when n % 50 = 0 then 'REFUNDED' when n % 20 = 1 then 'TRANSFER_COMPLETED' else 'SETTLED' end,
         case n % 10 when 0 then 'brokerage' when 1 then 'hosted_checkout' else 'merchant_of_record' end,
         10000 + n % 1000, 1500, (10000 + n % 1000) * 15 / 100, 0,
         case when n % 4 = 0 then 'EUR' else 'USD' end, 'buyer@example.com', 'brk_' || n, at, at
       from (select n, date_trunc('milliseconds',
               $4::timestamptz - make_interval(secs => ($3 - n) * 31536000.0 / $3)) as at
             from generate_series(1, $3::integer) n) o`,
      [owner.partnerId, owner.environment, count, now],
    );
    await client.query(
      `insert into ledger_entries (id, kind, reference, partner_id, environment, order_id, created_at)
       select 'txn_' || substr(id, 5), 'sale', id, partner_id, environment, id, created_at from orders
       where partner_id = $1`,
      [owner.partnerId],
    );
    await client.query(
      `insert into refunds (id, order_id, partner_id, environment, kind, amount_cents, currency, reason,
         requested_by, created_at)
       select 'rfd_' || substr(id, 5), id, partner_id, environment, 'refund', sale_price_cents, currency,
         'other', 'bench', created_at + interval '1 hour'
       from orders where partner_id = $1 and status = 'REFUNDED'`,
      [owner.partnerId],
    );
    await client.query(
      `insert into ledger_entries (id, kind, reference, partner_id, environment, order_id, created_at)
       select 'txn_r' || substr(id, 6), 'refund', order_id, partner_id, environment, order_id, created_at
       from refunds where partner_id = $1`,
      [owner.partnerId],
    );
    await client.query(`
      set session_replication_role = origin;
      alter table orders enable trigger orders_tally_insert;
      alter table refunds enable trigger refunds_tally_insert`);
    await client.query('vacuum analyze orders, refunds, ledger_entries, transaction_deltas');
  } finally {
    client.release();
  }
}
