import type pg from 'pg';
import { addMs, DAY, HOUR } from '../../shared/platform/clock.ts';
import type { SqlType } from '../../shared/platform/database/sql-types.ts';
import type { StoreStatement } from '../../test/support/store-statements.ts';

/** Returns realistic parameter values for a statement, taken from existing history, except for the `given` ones. */
export type ExampleValues = (
  of: StoreStatement,
  given?: Readonly<Record<string, unknown>>,
) => Promise<unknown[]>;

/**
 * Creates values for the stores' statements. Nullable parameters are null, as for the first page of a list without a
 * filter. Ids are those of rows in the middle of their table; the partner is a busy one.
 */
export function exampleValues(client: pg.Client, now: Date): ExampleValues {
  const keys = new Map<string, Promise<unknown>>();

  /** Returns the key of a row in the middle of a table; of partners, the first and busiest. */
  function keyOf(table: string): Promise<unknown> {
    const known = keys.get(table) ?? readKey(client, table);
    keys.set(table, known);
    return known;
  }

  async function exampleOf(of: StoreStatement, name: string, type: SqlType<unknown>) {
    if (type.nullable) return null;
    const list = type.postgres.endsWith('[]');
    const one = list ? type.postgres.slice(0, -2) : type.postgres;
    const table = TABLE_OF[name] ?? (IDS.has(name) ? tableOf(of) : undefined);
    const key = table && (await keyOf(table));
    const wanted = one.startsWith('timestamp') ? TIMES[name]?.(now) : NAMED[name];
    const value = [key, wanted].find((given) => isOf(one, given)) ?? ANY[one]?.(now) ?? 'x';
    return list ? Array.from({ length: MANY.has(name) ? 5 : 1 }, () => value) : value;
  }

  return async (of, given = {}) => {
    const values = new Map<string, unknown>();
    for (const [name, type] of Object.entries(of.statement.params)) {
      const value = name in given ? given[name] : await exampleOf(of, name, type);
      values.set(name, value !== null && type.encode ? type.encode(value) : value);
    }
    return of.statement.uses.map((name) => values.get(name));
  };
}

/** Parameters that are keys of the statement's main table. */
const IDS = new Set(['id', 'ids', 'first', 'last']);

/** Lists that have several elements: the ranges in which an order's events were created. */
const MANY = new Set(['firsts', 'lasts']);

const TABLE_OF: Readonly<Record<string, string>> = {
  partnerId: 'partners',
  partnerIds: 'partners',
  orderId: 'orders',
  orderIds: 'orders',
  orders: 'orders',
  listingId: 'listings',
  listingIds: 'listings',
  userId: 'users',
  eventId: 'events',
  eventIds: 'events',
  firsts: 'events',
  lasts: 'events',
  endpointId: 'webhook_endpoints',
  endpoint: 'webhook_endpoints',
  keyId: 'credentials',
  keyIds: 'credentials',
  settlementId: 'settlements',
  settlementIds: 'settlements',
  linkId: 'referral_links',
  links: 'referral_links',
  caseId: 'brokerage_cases',
  paymentId: 'payments',
  quoteId: 'quotes',
  sessionId: 'checkout_sessions',
  checkoutSessionId: 'checkout_sessions',
  offerId: 'offers',
  tokenHash: 'user_sessions',
  jobId: 'bulk_jobs',
  entry: 'ledger_entries',
};

const TIMES: Readonly<Record<string, (now: Date) => Date>> = {
  // Long before the oldest rows that retention keeps.
  before: (now) => addMs(now, -100 * DAY),
  befores: (now) => addMs(now, -100 * DAY),
  from: (now) => addMs(now, -30 * DAY),
  since: (now) => addMs(now, -HOUR),
  recent: (now) => addMs(now, -HOUR),
  disableBefore: (now) => addMs(now, -3 * DAY),
};

const NAMED: Readonly<Record<string, unknown>> = {
  environment: 'LIVE',
  environments: 'LIVE',
  currency: 'USD',
  limit: 100,
  domain: 'name77.com',
  domains: 'name77.com',
  status: 'SETTLED',
  statuses: 'SETTLED',
  to: 'zzz',
  unit: 'day',
  minStatus: 200,
  maxStatus: 299,
  payloads: '{}',
  data: '{}',
};

const ANY: Readonly<Record<string, (now: Date) => unknown>> = {
  'timestamp with time zone': (now) => now,
  date: (now) => now.toISOString().slice(0, 10),
  bigint: () => 1,
  integer: () => 1,
  smallint: () => 1,
  'double precision': () => 0.5,
  boolean: () => false,
  bytea: () => Buffer.from('x'),
  json: () => [],
  jsonb: () => [],
};

function isOf(type: string, value: unknown): boolean {
  if (type === 'text') return typeof value === 'string';
  if (/^(big|small)?int(eger)?$/.test(type)) return typeof value === 'number';
  if (type.startsWith('timestamp')) return value instanceof Date;
  return type === 'bytea' && Buffer.isBuffer(value);
}

/** Returns the first table that a statement names, which it writes or reads. */
function tableOf({ statement }: StoreStatement): string | undefined {
  return /\b(?:update|into|delete from|from)\s+([a-z_]+)/.exec(statement.text)?.[1];
}

async function readKey(client: pg.Client, table: string): Promise<unknown> {
  const { rows } = await client.query<{ column: string; rows: number }>(
    `select a.attname as column, greatest(c.reltuples, 0)::int as rows
     from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
     join pg_class c on c.oid = i.indrelid
     where i.indisprimary and c.relname = $1`,
    [table],
  );
  const [key] = rows;
  if (!key) return undefined;
  const found = await client.query(
    `select "${key.column}" as key from "${table}" order by 1 offset $1 limit 1`,
    [table === 'partners' ? 0 : Math.floor(key.rows / 2)],
  );
  return found.rows[0]?.key;
}
