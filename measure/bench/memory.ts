import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { seedTlds } from '../../db/seeds/tlds.ts';
import { importListings } from '../../shared/market/inventory/import-listings.ts';
import { givenPartner } from '../../test/support/factories.ts';
import { accessTokenFor, givenOwner } from '../../test/support/oauth.ts';
import { publicClient } from '../../test/support/public-client.ts';
import { createTestRuntime } from '../../test/support/runtime.ts';
import { signedClient } from '../../test/support/signed-client.ts';
import { toolCall } from '../../test/support/tools.ts';
import { type Child, startChild } from '../support/child.ts';
import { type Figure, inParallel } from '../support/figures.ts';
import { inventoryLines } from '../support/search-inventory.ts';
import { searchQueries } from '../support/search-queries.ts';
import { givenCodes } from './support/oauth-codes.ts';
import { scaled } from './support/settings.ts';

const LISTINGS = 5_000;
const ROUNDS = 5;
/** One million in total with `--scale 100`. */
const REQUESTS_A_ROUND = 2_000;
const QUERIES = 2_000;
const CONCURRENCY = 8;
const RETRY_MS = 2_000;

/** Measures an API process's memory after it served every kind of request, against a bare Express process. */
export async function benchMemory(): Promise<Figure> {
  const runtime = await createTestRuntime();
  await seedTlds(runtime);
  const partner = await givenPartner(runtime, { environment: 'LIVE' });
  const { id: userId } = await givenOwner(runtime);
  const requestsARound = scaled(REQUESTS_A_ROUND);
  let token = '';
  const source = Readable.from(inventoryLines(LISTINGS));
  await importListings(runtime, { environment: 'LIVE', source, format: 'ndjson' });
  const queries = searchQueries(QUERIES);
  const api = await startChild('measure/bench/support/api-process.ts', runtime.env);
  const bare = await startChild('measure/bench/support/bare-express-process.ts', {});
  const url = `http://127.0.0.1:${api.ready.port}`;
  const [signed, open] = [signedClient(url, partner), publicClient(url)];
  const kinds: ((query: string) => Promise<unknown>)[] = [
    (query) => signed.get('/v1/domains/search', { query: { q: query } }).expect(200),
    () => signed.get('/v1/availability', { query: { domain: 'example.com' } }).expect(200),
    () => signed.get('/v1/orders').expect(200),
    () => open.get('/pricing/tld', { query: { tld: 'com' } }).expect(200),
    () => open.get('/market/listings', { token }).expect(200),
    () => callTool(url, token),
  ];
  const everything = async () => {
    const [code] = await givenCodes(runtime, 1);
    const body = new URLSearchParams(code);
    const redeemed = await fetch(`${url}/api/oauth/token`, { method: 'POST', body });
    if (redeemed.status !== 200) throw new Error(`a code answered ${await redeemed.text()}`);
    token = await accessTokenFor(runtime, { userId });
    await inParallel(requestsARound, CONCURRENCY, async (index) => {
      const ask = () => kinds[index % kinds.length]?.(queries[index % QUERIES] ?? '');
      // A machine that stalls for a second causes a 503, which callers would retry.
      await Promise.resolve(ask()).catch(() => sleep(RETRY_MS).then(ask));
    });
  };
  const constant = () =>
    inParallel(requestsARound, CONCURRENCY, async () => {
      await (await fetch(`http://127.0.0.1:${bare.ready.port}/readyz`)).text();
    });
  try {
    const [ours, limit]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      await everything();
      ours.push(await megabytes(api));
      await constant();
      limit.push(await megabytes(bare));
    }
    const requests = (ROUNDS * requestsARound).toLocaleString('en-US');
    return {
      name: `Resident memory of an API process through ${requests} requests (search, orders, listings, tools, sign-in)`,
      unit: 'MB',
      ours,
      limit,
      limitName: 'bare Express, started the same way',
      lessIsBetter: true,
      goal: { most: 200 },
    };
  } finally {
    await Promise.all([api.stop(), bare.stop()]);
    await runtime.stop();
  }
}

async function callTool(url: string, token: string): Promise<void> {
  const answer = await fetch(`${url}/api`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2025-06-18',
    },
    body: JSON.stringify(toolCall('tld_registration_price', { tld: 'com' })),
  });
  if (answer.status !== 200) throw new Error(`a tool answered ${await answer.text()}`);
  await answer.text();
}

async function megabytes(child: Child): Promise<number> {
  return (await child.usage()).rssBytes / 2 ** 20;
}
