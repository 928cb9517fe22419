import type pg from 'pg';

/**
 * Inserts listings on the LIVE market by SQL: eight suffixes, five categories and none, many equal prices, every
 * fiftieth sold. Does not fill the search index.
 */
export async function givenMarket(pool: pg.Pool, count: number, now: Date): Promise<void> {
  await pool.query(
    `insert into listings (environment, domain, domain_unicode, sld, tld, status, price_cents, currency,
       category, listed_at, updated_at)
     select 'LIVE', domain, domain, 'name' || n, tld, case when n % 50 = 0 then 'sold' else 'listed' end,
       9900 + 10000 * (n % 8) + 100 * (n::bigint * 7919 % 9000), 'USD',
       (array['tech', 'food', 'tools', 'travel', 'health', null])[1 + n % 6],
       $2::timestamptz - n * interval '10 seconds', $2
     from (select n, tld, 'name' || n || '.' || tld as domain
           from (select n, (array['com', 'net', 'io', 'de', 'shop', 'org', 'app', 'ai'])[1 + n::bigint * 31 % 8]
                   as tld
                 from generate_series(1, $1::integer) n) t) d`,
    [count, now],
  );
  await pool.query('vacuum analyze listings');
}
