import pg from 'pg';
import { createCursors } from '../../api/http/pagination.ts';
import type { PartnerContext } from '../../api/partner/partner-route.ts';
import { BY_TRANSACTION, listTransactionsRoute } from '../../api/partner/report-routes.ts';
import { foldTransactionTallies } from '../../shared/settlement/reports/transaction-report.ts';
import { givenPartner, type PartnerFixture } from '../../test/support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../test/support/runtime.ts';
import { type SignedClient, signedClient } from '../../test/support/signed-client.ts';
import { givenTransactions } from '../../test/support/transactions.ts';
import { startChild } from '../support/child.ts';
import { alternate, type Figure, perSecond, times } from '../support/figures.ts';
import { scaled } from './support/settings.ts';

const ORDERS = 1_000_000;
const REQUESTS = 100;
/** Summing a million rows takes so long that a few runs are enough. */
const SCANS = 3;
const PATH = '/v1/transactions';
type Query = Record<string, string | number>;

/** Measures `GET /transactions` of a partner with a million orders: against bare SQL, and deep in the list. */
export async function benchTransactions(): Promise<Figure[]> {
  const count = scaled(ORDERS);
  const runtime = await createTestRuntime();
  const straight = new pg.Pool({ connectionString: runtime.config.databaseUrl, max: 1 });
  const partner = await givenPartner(runtime);
  await givenTransactions(straight, partner, count, runtime.clock.now());
  await foldTransactionTallies(runtime, count);
  const api = await startChild('measure/bench/support/api-process.ts', runtime.env);
  try {
    const client = signedClient(`http://127.0.0.1:${api.ready.port}`, partner);
    const first = () => ask(client, {});
    const statement = await captureStatement(runtime, partner);
    const deep = await cursorAt(runtime, straight, partner, count / 2);
    const name = `GET /transactions, ${count.toLocaleString('en-US')} orders of one partner`;
    const unit = 'requests/s';
    return [
      {
        name: `${name}: totals and first page`,
        unit,
        limitName: 'adding up orders and refunds and reading the newest 25, straight through pg',
        ...(await alternate(first, () => addUp(straight, partner))),
      },
      {
        name: `${name}: totals and first page`,
        unit,
        limitName: 'the same statement straight through pg',
        ...(await alternate(first, () =>
          perSecond(REQUESTS, () => times(REQUESTS, () => straight.query(statement))),
        )),
      },
      {
        name: `${name}: totals and a page from the middle`,
        unit,
        limitName: 'the first page',
        goal: { share: 0.83 },
        ...(await alternate(() => ask(client, { cursor: deep }), first)),
      },
    ];
  } finally {
    await api.stop();
    await straight.end();
    await runtime.stop();
  }
}

/** Sends requests in sequence; returns requests per second. */
function ask(client: SignedClient, query: Query): Promise<number> {
  return perSecond(REQUESTS, () =>
    times(REQUESTS, async () => {
      const { body } = await client.get(PATH, { query }).expect(200);
      const told = body.totals.reduce((sum: number, one: { count: number }) => sum + one.count, 0);
      if (body.transactions.length !== 25 || told <= REQUESTS) {
        throw new Error(`answered ${JSON.stringify(body).slice(0, 500)}`);
      }
    }),
  );
}

async function addUp(pool: pg.Pool, partner: PartnerFixture): Promise<number> {
  const owner = [partner.partnerId, partner.environment];
  return perSecond(SCANS, () =>
    times(SCANS, async () => {
      await pool.query(
        `select currency, count(*), sum(price), sum(commission) from (
           select currency, sale_price_cents as price, commission_cents as commission from orders
           where partner_id = $1 and environment = $2
           union all
           select o.currency, -o.sale_price_cents, -o.commission_cents
           from refunds r join orders o on o.id = r.order_id
           where r.partner_id = $1 and r.environment = $2) t group by currency`,
        owner,
      );
      await pool.query(
        `select e.id, o.* from orders o join ledger_entries e on e.kind = 'sale' and e.reference = o.id
         where o.partner_id = $1 and o.environment = $2 order by o.created_at desc, o.id desc limit 25`,
        owner,
      );
    }),
  );
}

/** Returns the single statement that the endpoint sends for a first page. */
async function captureStatement(
  runtime: TestRuntime,
  partner: PartnerFixture,
): Promise<{ text: string; values: unknown[] }> {
  const statements: { text: string; values: unknown[] }[] = [];
  const note = (query: { sql: string; bindings: unknown[] }) =>
    statements.push({ text: query.sql, values: query.bindings });
  runtime.db.knex.on('query', note);
  await listTransactionsRoute.handler(contextOf(runtime), {
    caller: { ...partner, commissionBps: 1_500, affiliateId: null, scopes: ['report'] },
    params: {},
    query: { limit: 25 },
    body: undefined,
    idempotencyKey: undefined,
    method: 'GET',
    path: `/api/partner${PATH}`,
    accept: 'application/json',
    requestId: 'bench',
  });
  runtime.db.knex.off('query', note);
  const [only, ...others] = statements;
  if (!only || others.length > 0) throw new Error(`sent ${statements.length} statements`);
  return only;
}

const contextOf = (runtime: TestRuntime): PartnerContext => ({
  ...runtime,
  cursors: createCursors(runtime.tokens),
});

/** Returns the cursor after `depth` orders. */
async function cursorAt(
  runtime: TestRuntime,
  pool: pg.Pool,
  partner: PartnerFixture,
  depth: number,
): Promise<string> {
  const { rows } = await pool.query(
    `select id, created_at from orders where partner_id = $1 and environment = $2
     order by created_at desc, id desc offset $3 limit 1`,
    [partner.partnerId, partner.environment, depth],
  );
  const [{ id, created_at: at }] = rows;
  const cursors = contextOf(runtime).cursors.ofPartner(
    partner,
    ['transactions', {}],
    BY_TRANSACTION,
  );
  const cursor = await cursors.write({ createdAt: at, orderId: id, reversal: false });
  return cursor ?? '';
}
