import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createCursors } from '../../api/http/pagination.ts';
import { createOrderRoute } from '../../api/partner/order-routes.ts';
import type { PartnerContext } from '../../api/partner/partner-route.ts';
import {
  OpenUnitOfWork,
  type UnitOfWork,
} from '../../shared/messaging/unit-of-work/unit-of-work.ts';
import { Pipeline } from '../../shared/platform/database/pipeline.ts';
import { givenListing, givenPartner, type PartnerFixture } from '../../test/support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../test/support/runtime.ts';
import { orderBody, sell } from '../../test/support/sales.ts';
import { signedClient } from '../../test/support/signed-client.ts';
import { startChild } from '../support/child.ts';
import { alternate, type Figure, inParallel, perSecond } from '../support/figures.ts';

const ORDERS = 500;
const CONCURRENCY = 8;

interface Statement {
  text: string;
  values: unknown[];
}

type Listing = Awaited<ReturnType<typeof givenListing>>;

/** Measures `POST /orders` against the same SQL with the same values, straight through `pg`. */
export async function benchOrders(): Promise<Figure> {
  const runtime = await createTestRuntime();
  const api = await startChild('measure/bench/support/api-process.ts', runtime.env);
  const straight = new pg.Pool({ connectionString: runtime.config.databaseUrl, max: CONCURRENCY });
  try {
    const partner = await givenPartner(runtime);
    const client = signedClient(`http://127.0.0.1:${api.ready.port}`, partner);
    const figures = await alternate(
      async () => {
        const listings = await givenListings(runtime);
        return perSecond(ORDERS, () =>
          forEach(listings, async (listing) => void (await sell(client, listing).expect(201))),
        );
      },
      async () => {
        const transactions: Statement[][] = [];
        for (const listing of await givenListings(runtime)) {
          transactions.push(await rehearse(runtime, partner, listing));
        }
        return perSecond(ORDERS, () =>
          forEach(transactions, (statements) => replay(straight, statements)),
        );
      },
    );
    return {
      name: `POST /orders, ${CONCURRENCY} at once (HTTP, signature, nonce, validation, one transaction)`,
      unit: 'orders/s',
      limitName: 'the same statements straight through pg',
      goal: { share: 0.6 },
      ...figures,
    };
  } finally {
    await straight.end();
    await api.stop();
    await runtime.stop();
  }
}

async function givenListings(runtime: TestRuntime): Promise<Listing[]> {
  const listings: Listing[] = [];
  for (let i = 0; i < ORDERS; i += 1) listings.push(await givenListing(runtime));
  return listings;
}

function forEach<T>(items: readonly T[], job: (item: T) => Promise<void>): Promise<void> {
  return inParallel(items.length, CONCURRENCY, (index) => job(items[index] as T));
}

const ROLLED_BACK = Symbol('rolled back');

/** Runs the endpoint's handler for a listing, records every statement it sends, and rolls everything back. */
async function rehearse(
  runtime: TestRuntime,
  partner: PartnerFixture,
  listing: Listing,
): Promise<Statement[]> {
  const statements: Statement[] = [];
  const transact = async <T>(work: (uow: UnitOfWork) => Promise<T>): Promise<T> =>
    runtime.db.knex.transaction(async (tx) => {
      tx.on('query', (query: { sql: string; bindings: unknown[] }) =>
        statements.push({ text: query.sql, values: query.bindings }),
      );
      const unit = new OpenUnitOfWork(new Pipeline(tx), runtime.clock.now(), runtime.config);
      await work(unit);
      await unit.write();
      throw ROLLED_BACK;
    });
  const context: PartnerContext = {
    ...runtime,
    db: { ...runtime.db, transact, transactFor: (_whom, work) => transact(work) },
    cursors: createCursors(runtime.tokens),
  };
  const { partnerId, environment, keyId } = partner;
  try {
    await createOrderRoute.handler(context, {
      caller: { partnerId, environment, keyId, commissionBps: 1_500, scopes: ['buy'] },
      params: {},
      query: {},
      body: orderBody(listing),
      idempotencyKey: randomUUID(),
      method: 'POST',
      path: '/api/partner/v1/orders',
      accept: 'application/json',
      requestId: 'bench',
    });
  } catch (error) {
    if (error !== ROLLED_BACK) throw error;
  }
  const told = statements.filter(({ text }) => !/^(begin|commit|rollback)/i.test(text));
  if (told.length === 0)
    throw new Error('the order was recorded without a statement that was noted');
  return told;
}

async function replay(pool: pg.Pool, statements: readonly Statement[]): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    for (const statement of statements) await client.query(statement);
    await client.query('commit');
  } finally {
    client.release();
  }
}
