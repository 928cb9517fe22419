import pg from 'pg';
import { foldMarket } from '../../shared/market/inventory/market-listings.ts';
import { accessTokenFor, givenOwner } from '../../test/support/oauth.ts';
import { type PublicClient, publicClient } from '../../test/support/public-client.ts';
import { createTestRuntime } from '../../test/support/runtime.ts';
import { startChild } from '../support/child.ts';
import { alternate, type Figure, perSecond } from '../support/figures.ts';
import { givenMarket } from './support/a-million-listings.ts';
import { scaled } from './support/settings.ts';

const LISTINGS = 1_000_000;
const REQUESTS = 200;
/** Counting a million rows takes so long that a few runs are enough. */
const COUNTS = 5;
const DEEP_PAGE = 1_000;
const PATH = '/market/listings';

type Query = Record<string, string | number>;

/** Measures `GET /market/listings` with a million listings: deep pages against the first, and the cost of the total. */
export async function benchListings(): Promise<Figure[]> {
  const count = scaled(LISTINGS);
  const runtime = await createTestRuntime();
  const straight = new pg.Pool({ connectionString: runtime.config.databaseUrl, max: 1 });
  await givenMarket(straight, count, runtime.clock.now());
  while ((await foldMarket(runtime, 1_000)) > 0);
  const { id: userId } = await givenOwner(runtime);
  const token = await accessTokenFor(runtime, { userId });
  const api = await startChild('measure/bench/support/api-process.ts', runtime.env);
  try {
    const client = publicClient(`http://127.0.0.1:${api.ready.port}`);
    const ask = (query: Query) => load(client, token, query);
    const name = `GET /market/listings, ${count.toLocaleString('en-US')} listings`;
    const unit = 'requests/s';
    const figures: Figure[] = [];
    for (const sort of ['newest', 'price_asc']) {
      const deep = await cursorOf(client, token, sort, DEEP_PAGE);
      figures.push({
        name: `${name}, ${sort}: page ${DEEP_PAGE.toLocaleString('en-US')} of 100 rows, by cursor`,
        unit,
        limitName: 'the first page, with its total',
        goal: { share: 0.83 },
        ...(await alternate(
          () => ask({ sort, cursor: deep }),
          () => ask({ sort }),
        )),
      });
    }
    const second = await cursorOf(client, token, 'newest', 2);
    figures.push(
      {
        name: `${name}: the first page, with its total`,
        unit,
        limitName: 'the second page by cursor, which has none',
        ...(await alternate(
          () => ask({}),
          () => ask({ cursor: second }),
        )),
      },
      {
        name: `${name}: the first page, with its total`,
        unit,
        limitName: 'counting the rows alone, straight through pg',
        ...(await alternate(
          () => ask({}),
          () => countRows(straight),
        )),
      },
    );
    return figures;
  } finally {
    await api.stop();
    await straight.end();
    await runtime.stop();
  }
}

/** Sends requests in sequence; returns requests per second. */
function load(client: PublicClient, token: string, query: Query): Promise<number> {
  return perSecond(REQUESTS, async () => {
    for (let i = 0; i < REQUESTS; i += 1) {
      const { body } = await client.get(PATH, { query, token }).expect(200);
      if (body.items.length !== 25) throw new Error(`answered ${body.items.length} rows`);
    }
  });
}

/** Returns the cursor of a page, as a client that reads 100 rows per page gets it. */
async function cursorOf(
  client: PublicClient,
  token: string,
  sort: string,
  page: number,
): Promise<string> {
  let query: Query = { sort, limit: 100 };
  for (let at = 1; at < page; at += 1) {
    const { body } = await client.get(PATH, { query, token }).expect(200);
    query = { sort, limit: 100, cursor: body.page.next_cursor };
  }
  return String(query.cursor);
}

async function countRows(pool: pg.Pool): Promise<number> {
  return perSecond(COUNTS, async () => {
    for (let i = 0; i < COUNTS; i += 1) {
      await pool.query(
        `select count(*) from listings where environment = 'LIVE' and status = 'listed'`,
      );
    }
  });
}
