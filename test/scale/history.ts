import type pg from 'pg';

/** How much of it there is. */
export interface HistorySize {
  partners: number;
  orders: number;
  events: number;
}

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;

/**
 * Fills an empty database with a year that ends at `now`, made by the database itself: what is kept forever for all of
 * it, what retention bounds for as long as it is kept. Triggers and foreign keys are not checked on the way, but the
 * ledger balances, its tallies are those of the orders, and every reference leads somewhere. Indexes are made at the
 * end. Says what it is at, with each table.
 */
export async function givenHistory(
  client: pg.Client,
  size: HistorySize,
  now: Date,
  onTable: (table: string) => void = () => {},
): Promise<void> {
  await client.query(
    `set session_replication_role = replica; set synchronous_commit = off; set work_mem = '256MB';
     set maintenance_work_mem = '512MB'`,
  );
  await client.query(helpers(size, now));
  await client.query(partitions(now));
  const indexes = await dropIndexes(client);
  for (const [table, text] of fillings(size, now)) {
    onTable(table);
    await client.query(text);
  }
  onTable('indexes');
  for (const definition of indexes) await client.query(definition);
  await client.query(RESET_IDENTITIES);
  await client.query('reset session_replication_role');
  onTable('statistics');
  await client.query('vacuum analyze');
}

/** Drops what no constraint needs; returns how to make it again. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
     from pg_index i join pg_class t on t.oid = i.indrelid
     where t.relnamespace = 'public'::regnamespace and not t.relispartition
       and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid)
       and not exists (select 1 from pg_depend d where d.objid = t.oid and d.deptype = 'e')`,
  );
  if (rows.length > 0) await client.query(`drop index ${rows.map(({ name }) => name).join(', ')}`);
  return rows.map(({ definition }) => definition.replace(' ON ONLY ', ' ON '));
}

/** Identities go on after the rows that named theirs. */
const RESET_IDENTITIES = `do $$ declare c record; begin
  for c in select attrelid::regclass as t, attname from pg_attribute
      join pg_class on pg_class.oid = attrelid
      where attidentity <> '' and relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
  loop
    execute format('select setval(pg_get_serial_sequence(%L, %L), coalesce(max(%I), 0) + 1) from %s',
      c.t, c.attname, c.attname, c.t);
  end loop; end $$`;

/** Ids as the service makes them: the time in ten characters, and sixteen that are unlike all others. */
function helpers({ partners, orders, events }: HistorySize, now: Date): string {
  const start = now.getTime() - YEAR_MS;
  const digit = (place: number) =>
    `substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + ((ms >> ${place * 5}) & 31)::int, 1)`;
  const time = Array.from({ length: 10 }, (_, at) => digit(9 - at)).join(' || ');
  return `
    create function pg_temp.id(prefix text, ms bigint, n bigint) returns text language sql immutable as $$
      select prefix || '_' || ${time} || lpad(to_hex(n), 16, '0') $$;
    create function pg_temp.at(ms bigint) returns timestamptz language sql immutable as $$
      select timestamptz 'epoch' + ms * interval '1 millisecond' $$;
    create function pg_temp.ms(at timestamptz) returns bigint language sql immutable as $$
      select (extract(epoch from at) * 1000)::bigint $$;
    -- One partner has a seventh of the trade, a tenth of the others has half of the rest.
    create function pg_temp.partner(n bigint) returns text language sql immutable as $$
      select pg_temp.id('ptr', ${start}, case when n % 7 = 0 then 0 when n % 2 = 0 then n / 2 % ${Math.ceil(partners / 10)}
        else n / 2 * 7919 % ${partners} end) $$;
    create function pg_temp.environment(n bigint) returns text language sql immutable as $$
      select case when n % 10 = 0 then 'SANDBOX' else 'LIVE' end $$;
    create function pg_temp.order_ms(n bigint) returns bigint language sql immutable as $$
      select ${start} + n * ${YEAR_MS} / ${Math.max(1, orders)} $$;
    create function pg_temp.event_ms(n bigint) returns bigint language sql immutable as $$
      select ${start} + n * ${YEAR_MS} / ${Math.max(1, events)} $$;`;
}

/** The months, weeks and days of the year, as the fleet makes them, in the place of what came before partitions. */
function partitions(now: Date): string {
  const end = `timestamptz '${new Date(now.getTime() + 7 * DAY_MS).toISOString()}'`;
  return `do $$ declare log record; at timestamptz; until timestamptz; begin
    for log in select * from (values
        ('events', 'id', 'evt', 'month', 365), ('webhook_deliveries', 'id', 'dlv', 'week', 90),
        ('webhook_attempts', 'delivery_id', 'dlv', 'week', 90), ('api_requests', 'id', 'rlg', 'day', 7))
        as log ("table", key, prefix, period, days)
    loop
      execute format('drop table %I', log."table" || '_before');
      at := date_trunc(log.period, ${ago(now, 0)} - log.days * interval '1 day', 'UTC');
      while at < ${end} loop
        until := date_trunc(log.period, at + ('1 ' || log.period)::interval + interval '12 hours', 'UTC');
        perform add_range_partition(log."table", log.key, log."table" || to_char(at at time zone 'UTC', '_YYYYMMDD'),
          pg_temp.id(log.prefix, pg_temp.ms(at), 0), pg_temp.id(log.prefix, pg_temp.ms(until), 0));
        at := until;
      end loop;
    end loop; end $$`;
}

type Filling = readonly [table: string, text: string];

function fillings(size: HistorySize, now: Date): Filling[] {
  return [
    ...accounts(size, now),
    ...sales(size, now),
    ...money(),
    ...deliveries(size, now),
    ...traces(size, now),
  ];
}

/** A moment so many days ago, for SQL. */
const ago = (now: Date, days: number) =>
  `timestamptz '${new Date(now.getTime() - days * DAY_MS).toISOString()}'`;

function accounts({ partners }: HistorySize, now: Date): Filling[] {
  const start = now.getTime() - YEAR_MS;
  const opened = ago(now, 365);
  const users = partners * 5;
  return [
    [
      'partners',
      `insert into partners (id, name, created_at)
       select pg_temp.id('ptr', ${start}, n), 'Partner ' || n, ${opened} from generate_series(0, ${partners - 1}) n`,
    ],
    [
      'credentials',
      `insert into credentials (key_id, partner_id, environment, scopes, secret_ciphertext, created_at)
       select 'pk_' || lower(e) || '_' || lpad(p.n::text, 22, '0'), p.id, e, '{search,buy,webhook}',
         decode(repeat('ab', 60), 'hex'), p.created_at
       from (select row_number() over () as n, * from partners) p, unnest(array['LIVE', 'SANDBOX']) e`,
    ],
    [
      'webhook_endpoints',
      `insert into webhook_endpoints (id, partner_id, environment, url, secret_ciphertext, created_at, updated_at)
       select replace(id, 'ptr', case e when 'LIVE' then 'whe' else 'wht' end), id, e,
         'https://partner.example/' || id, decode(repeat('ab', 60), 'hex'), created_at, created_at
       from partners, unnest(array['LIVE', 'SANDBOX']) e`,
    ],
    [
      'users',
      `insert into users (id, email, password_hash, role, created_at)
       select pg_temp.id('usr', ${start}, n), 'person' || n || '@example.com', repeat('x', 97), 'owner', ${opened}
       from generate_series(1, ${users}) n`,
    ],
    [
      'user_sessions',
      `insert into user_sessions (token_hash, user_id, created_at, expires_at)
       select sha256((n || 's')::bytea), pg_temp.id('usr', ${start}, 1 + n % ${users}), ${ago(now, 0)},
         ${ago(now, 0)} + (n % 720 - 10) * interval '1 minute' from generate_series(1, ${users * 3}) n`,
    ],
    [
      'partner_members',
      `insert into partner_members (partner_id, user_id, role, created_at)
       select pg_temp.id('ptr', ${start}, n % ${partners}), pg_temp.id('usr', ${start}, n), 'viewer', ${opened}
       from generate_series(1, ${partners * 2}) n`,
    ],
    [
      'owned_domains',
      `insert into owned_domains (domain, domain_unicode, tld, user_id, nameservers, locked, auto_renew, privacy,
         expires_at, registrar_version, granted_at, updated_at)
       select 'owned' || n || '.com', 'owned' || n || '.com', 'com', pg_temp.id('usr', ${start}, 1 + n % ${users}),
         '{ns1.example.com,ns2.example.com}', true, n % 3 = 0, true, ${ago(now, 0)} + n % 365 * interval '1 day', 1,
         ${opened}, ${opened} from generate_series(1, ${users * 4}) n`,
    ],
    [
      'referral_links',
      `insert into referral_links (id, partner_id, environment, kind, code, commission_bps, created_at)
       select pg_temp.id('lnk', ${start}, n), pg_temp.id('ptr', ${start}, n % ${partners}), 'LIVE', 'generic',
         'code' || n, 500, ${opened} from generate_series(1, ${partners * 5}) n`,
    ],
    [
      'referral_daily',
      `insert into referral_daily (link_id, day, partner_id, environment, clicks, unique_clicks)
       select id, (${opened} + d * interval '1 day')::date, partner_id, environment, 20, 15
       from referral_links, generate_series(5, 365, 10) d`,
    ],
  ];
}

function sales({ orders }: HistorySize, now: Date): Filling[] {
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

function money(): Filling[] {
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

function deliveries({ orders, events }: HistorySize, now: Date): Filling[] {
  const body = `'{"id":"' || id || '","type":"' || type || '","created_at":"2026-11-21T09:30:00.000Z","partner_id":"'
    || partner_id || '","data":{"order":{"public_id":"' || subject
    || '","domain":"name' || n || '.com","status":"EXTERNALLY_PAID","sale_price_cents":485000,"currency":"USD"}}}'`;
  return [
    [
      'events',
      `insert into events (id, partner_id, environment, position, type, subject, body, created_at)
       select id, partner_id, environment, row_number() over (partition by partner_id, environment order by n), type,
         subject, ${body}, pg_temp.at(pg_temp.event_ms(n))
       from (select n, pg_temp.id('evt', pg_temp.event_ms(n), n) as id, pg_temp.partner(o) as partner_id,
           pg_temp.environment(o) as environment, pg_temp.id('ord', pg_temp.order_ms(o), o) as subject,
           (array['order.recorded', 'order.transfer_started', 'order.transfer_completed', 'order.settled'])[1 + n % 4] as type
         from (select n, 1 + (n - 1) * ${orders} / ${Math.max(1, events)} as o from generate_series(1::bigint, ${events}) n) g) e
       order by n`,
    ],
    [
      'event_streams',
      `insert into event_streams select partner_id, environment, max(position) from events group by 1, 2`,
    ],
    [
      'webhook_deliveries',
      `insert into webhook_deliveries (id, endpoint_id, partner_id, environment, event_id, event_type, state, attempts, epoch,
         next_attempt_at, created_at, finished_at, without_job)
       select replace(id, 'evt', 'dlv'), replace(partner_id, 'ptr', case environment when 'LIVE' then 'whe' else 'wht' end),
         partner_id, environment, id, type, state, case state when 'pending' then 0 else 1 end, 1, created_at, created_at,
         case state when 'pending' then null else created_at + interval '90 milliseconds' end, true
       from (select *, case when position % 100 = 3 then 'exhausted' when created_at > ${ago(now, 0.02)} then 'pending'
           else 'delivered' end as state from events where created_at > ${ago(now, 90)} order by id) e`,
    ],
    [
      'webhook_attempts',
      `insert into webhook_attempts (delivery_id, attempt, started_at, elapsed_ms, status, outcome, request_headers,
         response_headers, response_body, response_excerpt)
       select id, 1, created_at, 85, 200, 'delivered',
         '{"accept": "*/*", "user-agent": "marketplace-webhooks/1", "content-type": "application/json",
           "x-service-event-id": "evt_01m7yg4ev0e89rzq0ngjrt467r", "x-service-signature": "[redacted]"}',
         '{"date": "Sat, 21 Nov 2026 09:30:00 GMT", "content-type": "text/plain", "content-length": "2"}', 'ok', 'ok'
       from webhook_deliveries where state <> 'pending' order by id`,
    ],
    [
      'outbox',
      `insert into outbox (queue, name, payload, dedupe_key, state, epoch, attempts, run_at, done_at, created_at)
       select q, j, jsonb_build_object('orderId', id), j || ':' || id, case when listing_id % 500 = 4 then 'dead' else 'done' end,
         1, 1, created_at, case when listing_id % 500 = 4 then null else created_at end, created_at
       from orders, unnest(array['transfers', 'transfers', 'mail'], array['start-transfer', 'push-transfer', 'send-mail']) t (q, j)
       where created_at > ${ago(now, 7)} order by id`,
    ],
  ];
}

function traces({ partners }: HistorySize, now: Date): Filling[] {
  const week = ago(now, 7);
  return [
    [
      'idempotency_keys',
      `insert into idempotency_keys (credential, method, path, key, fingerprint, status, body, created_at, expires_at)
       select 'pk_live_' || right(partner_id, 8), 'POST', '/api/partner/v1/orders', gen_random_uuid(),
         sha256(id::bytea), 201, repeat('{"public_id":"' || id || '"}', 8), created_at, created_at + interval '30 days'
       from orders where created_at > ${ago(now, 30)}`,
    ],
    [
      'api_requests',
      `insert into api_requests (id, partner_id, environment, key_id, request_id, method, path, status, error_code,
         elapsed_ms, created_at)
       select pg_temp.id('rlg', pg_temp.ms(o.created_at), o.listing_id * 20 + k), o.partner_id, o.environment,
         c.key_id, gen_random_uuid(), 'GET', '/api/partner/v1/domains/search',
         case when k = 3 then 422 else 200 end, case when k = 3 then 'validation_error' end, 12, o.created_at
       from orders o join credentials c on c.partner_id = o.partner_id and c.environment = o.environment,
         generate_series(1, 20) k where o.created_at > ${week} order by o.created_at`,
    ],
    [
      'mails',
      `insert into mails (id, kind, cause, recipient, partner_id, environment, data, locale, state, attempts, message_id,
         created_at, finished_at)
       select replace(id, 'ord', 'eml'), 'order-delivered', 'delivered:' || id, buyer_email, partner_id, environment,
         jsonb_build_object('orderId', id, 'domain', domain, 'price', sale_price_cents), 'en', 'sent', 1,
         '<' || id || '@marketplace.example>', created_at, created_at
       from orders where created_at > ${ago(now, 90)}`,
    ],
    [
      'audit_log',
      `insert into audit_log (at, actor, action, subject, after)
       select created_at, 'usr_ops', 'order.confirm-delivery', id, '{"status": "TRANSFER_COMPLETED"}'
       from orders where listing_id % 3 = 0 order by created_at`,
    ],
    [
      'audit_chain',
      `insert into audit_chain select row_number() over (order by id), id, sha256(id::text::bytea) from audit_log`,
    ],
    [
      'registrar_pushes',
      `insert into registrar_pushes (client_reference, domain, method, status, created_at, updated_at)
       select id, 'x', 'push', 'completed', created_at, updated_at from transfers where created_at > ${ago(now, 90)}`,
    ],
    [
      'bulk_jobs',
      `insert into bulk_jobs (id, user_id, op, params, dry_run, status, total, succeeded, created_at, finished_at)
       select replace(id, 'ptr', 'blk'), (select min(id) from users), 'lock', '{}', false, 'completed', 50, 50,
         ${week}, ${week} from partners limit ${partners}`,
    ],
    [
      'bulk_items',
      `insert into bulk_items (job_id, position, domain, state)
       select id, n, 'owned' || n || '.com', 'ok' from bulk_jobs, generate_series(1, 50) n`,
    ],
  ];
}
