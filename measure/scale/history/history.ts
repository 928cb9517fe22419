import type pg from 'pg';
import { accounts } from './accounts.ts';
import { deliveries } from './deliveries.ts';
import { ago, DAY_MS, type Filling, type HistorySize, YEAR_MS } from './filling.ts';
import { money } from './money.ts';
import { sales } from './sales.ts';
import { traces } from './traces.ts';

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
    `set session_replication_role = replica; set synchronous_commit = off; set statement_timeout = 0; set work_mem = '256MB';
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

/** Drops indexes no constraint needs; returns the SQL to create them again. */
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
    create function pg_temp.number_id(at timestamptz, n bigint) returns bigint language sql immutable as $$
      select ((pg_temp.ms(at) / 1000 - 1577836800) << 22) + n $$;
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

/** The months, weeks and days of the year, as the fleet makes them. */
function partitions(now: Date): string {
  const end = `timestamptz '${new Date(now.getTime() + 7 * DAY_MS).toISOString()}'`;
  return `do $$ declare log record; at timestamptz; until timestamptz; begin
    for log in select * from (values
        ('events', 'id', 'evt', 'month', 365), ('order_timeline', 'order_id', 'ord', 'month', 365),
        ('audit_log', 'id', null, 'month', 365), ('webhook_deliveries', 'id', 'dlv', 'week', 90),
        ('webhook_attempts', 'delivery_id', 'dlv', 'week', 90), ('outbox', 'id', null, 'week', 7),
        ('api_requests', 'id', 'rlg', 'day', 7))
        as log ("table", key, prefix, period, days)
    loop
      at := date_trunc(log.period, ${ago(now, 0)} - log.days * interval '1 day', 'UTC');
      while at < ${end} loop
        until := date_trunc(log.period, at + ('1 ' || log.period)::interval + interval '12 hours', 'UTC');
        perform add_range_partition(log."table", log.key, log."table" || to_char(at at time zone 'UTC', '_YYYYMMDD'),
          coalesce(pg_temp.id(log.prefix, pg_temp.ms(at), 0), pg_temp.number_id(at, 0)::text),
          coalesce(pg_temp.id(log.prefix, pg_temp.ms(until), 0), pg_temp.number_id(until, 0)::text));
        at := until;
      end loop;
    end loop; end $$`;
}

function fillings(size: HistorySize, now: Date): Filling[] {
  return [
    ...accounts(size, now),
    ...sales(size, now),
    ...money(),
    ...deliveries(size, now),
    ...traces(size, now),
  ];
}
