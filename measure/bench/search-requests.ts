import { Readable } from 'node:stream';
import pg from 'pg';
import { importListings } from '../../shared/market/inventory/import-listings.ts';
import { givenPartner } from '../../test/support/factories.ts';
import { createTestRuntime } from '../../test/support/runtime.ts';
import { signedClient } from '../../test/support/signed-client.ts';
import { startChild } from '../support/child.ts';
import { alternate, type Figure, inParallel, perSecond } from '../support/figures.ts';
import { inventoryLines } from '../support/search-inventory.ts';
import { searchQueries } from '../support/search-queries.ts';
import { PLAIN_SEARCH, preparePlainFullText } from './support/plain-full-text.ts';
import { scaled } from './support/settings.ts';

const LISTINGS = 50_000;
const QUERIES = 200;
const CONCURRENCY = 2;
const PATH = '/v1/domains/search';

/** Measures domain search by partner API against Postgres full-text search; `bench:search` covers the encoder. */
export async function benchDomainSearch(): Promise<Figure> {
  const count = scaled(LISTINGS);
  const runtime = await createTestRuntime();
  const straight = new pg.Pool({
    connectionString: runtime.config.databaseUrl,
    max: CONCURRENCY,
  });
  const partner = await givenPartner(runtime, { environment: 'LIVE' });
  await importListings(runtime, {
    environment: 'LIVE',
    source: Readable.from(inventoryLines(count)),
    format: 'ndjson',
  });
  await preparePlainFullText(runtime);
  const api = await startChild('measure/bench/support/api-process.ts', runtime.env);
  try {
    const client = signedClient(`http://127.0.0.1:${api.ready.port}`, partner);
    const queries = searchQueries(QUERIES);
    const run = (ask: (query: string) => Promise<unknown>) =>
      perSecond(QUERIES, () =>
        inParallel(QUERIES, CONCURRENCY, async (index) => void (await ask(queries[index] ?? ''))),
      );
    return {
      name: `Domain search of ${count.toLocaleString('en-US')} names, signed, ${CONCURRENCY} at once, by words alone`,
      unit: 'searches/s',
      limitName: "Postgres's full-text search over the same texts",
      ...(await alternate(
        () => run((query) => client.get(PATH, { query: { q: query } }).expect(200)),
        () => run((query) => straight.query(PLAIN_SEARCH, [query])),
        3,
      )),
    };
  } finally {
    await api.stop();
    await straight.end();
    await runtime.stop();
  }
}
