import pg from 'pg';
import { foldUnsettledTallies } from '../../shared/settlement/statements/close-statement.ts';
import { listSettlements } from '../../shared/settlement/statements/read-statements.ts';
import { givenPartner, type PartnerFixture } from '../../test/support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../test/support/runtime.ts';
import { alternate, type Figure, perSecond, times } from '../support/figures.ts';
import { scaled } from './support/settings.ts';

const ORDERS = 100_000;
const READS = 100;
/** The sum takes so long that a few runs are enough. */
const SUMS = 5;

/** Measures the first page of statements of a partner with many unsettled orders, against summing the orders. */
export async function benchStatements(): Promise<Figure> {
  const count = scaled(ORDERS);
  const runtime = await createTestRuntime();
  const straight = new pg.Pool({ connectionString: runtime.config.databaseUrl, max: 1 });
  try {
    const partner = await givenPartner(runtime);
    await givenUnsettled(straight, partner, count, runtime.clock.now());
    await foldUnsettledTallies(runtime, count);
    return {
      name: `GET /settlements, ${count.toLocaleString('en-US')} unsettled orders of one partner: the statement behind it`,
      unit: 'pages/s',
      limitName: 'adding up the orders, straight through pg',
      goal: { share: 1 },
      ...(await alternate(
        () => perSecond(READS, () => times(READS, () => readPage(runtime, partner, count))),
        () => perSecond(SUMS, () => times(SUMS, () => addUp(straight, partner))),
      )),
    };
  } finally {
    await straight.end();
    await runtime.stop();
  }
}

async function readPage(runtime: TestRuntime, partner: PartnerFixture, count: number) {
  const page = { from: null, to: null, statuses: null, after: null, limit: 25 };
  const { rows: statements } = await listSettlements(runtime, partner, page);
  if (statements[0]?.ordersCount !== count) {
    throw new Error(`told ${statements[0]?.ordersCount} of ${count} orders`);
  }
}

async function addUp(pool: pg.Pool, { partnerId, environment }: PartnerFixture): Promise<void> {
  await pool.query(
    `select currency, count(*), sum(sale_price_cents), sum(commission_cents) from orders
     where partner_id = $1 and environment = $2 and settlement_id is null
       and transfer_completed_at is not null group by currency`,
    [partnerId, environment],
  );
}

/** Orders delivered over the past three weeks, the last an hour ago. Sold by brokers, so they need no listing. */
async function givenUnsettled(
  pool: pg.Pool,
  { partnerId, environment }: PartnerFixture,
  count: number,
  now: Date,
): Promise<void> {
  await pool.query(
    `insert into orders (id, partner_id, environment, brokerage_case_id, domain, status, payment_model,
       sale_price_cents, commission_bps, commission_cents, amount_owed_cents, currency, buyer_email,
       created_at, updated_at, transfer_completed_at)
     select 'ord_' || lpad(n::text, 26, '0'), $1, $2, 'brk_' || n, 'domain' || n || '.com', 'TRANSFER_COMPLETED',
       'brokerage', 10000, 1500, 1500, 0, 'USD', 'buyer@example.com', at, at, at
     from (select n, $4::timestamptz - make_interval(secs => 3600 + n * 1810000.0 / $3) as at
           from generate_series(1, $3::integer) n) o`,
    [partnerId, environment, count, now],
  );
  await pool.query('vacuum analyze orders');
}
