import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { seedTlds } from '../../db/seeds/tlds.ts';
import { importListings } from '../../shared/market/inventory/import-listings.ts';
import { createTestRuntime } from '../../test/support/runtime.ts';
import { endProcess, freePort, spawnProgram } from '../../test/support/service-process.ts';
import type { KeyPair } from '../../test/support/signed-client.ts';
import { givenEndpoint } from '../../test/support/webhooks.ts';
import { startChild } from '../support/child.ts';
import { cpuMicros, treeMicros } from '../support/cpu-time.ts';
import { inventoryLines } from '../support/search-inventory.ts';

const LISTINGS = 30_000;
const PARTNERS = 20;

export interface Listing {
  domain: string;
  priceCents: number;
  currency: string;
}

/** A marketplace of real processes, with partners that have webhook endpoints, and names to sell. */
export interface LoadedMarketplace {
  baseUrl: string;
  partners: readonly KeyPair[];
  listings: readonly Listing[];
  /** Processor time that API, workers, Postgres and Redis have used. */
  cpuMicros(): Promise<number>;
  stop(): Promise<void>;
}

/** `api` processes behind one port and `workers` with all queues, without rate limits. */
export async function startMarketplace({
  api,
  workers,
}: {
  api: number;
  workers: number;
}): Promise<LoadedMarketplace> {
  const port = await freePort();
  const runtime = await createTestRuntime({
    PORT: String(port),
    HOST: '127.0.0.1',
    WEB_CONCURRENCY: String(api),
    DATABASE_POOL_SIZE: '16',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  });
  await seedTlds(runtime);
  const { inserted } = await importListings(runtime, {
    environment: 'SANDBOX',
    source: Readable.from(inventoryLines(LISTINGS)),
    format: 'ndjson',
  });
  // Now, so that it does not begin in the middle of a stage, and changes no plan there.
  await runtime.db.knex.raw('vacuum analyze');
  process.stderr.write(`${inserted} names are for sale\n`);
  const receiver = await startChild('measure/support/receiver-process.ts', {});
  const partners: KeyPair[] = [];
  for (let made = 0; made < PARTNERS; made += 1) {
    const url = `http://127.0.0.1:${receiver.ready.port}/`;
    const { keyId, keySecret } = await givenEndpoint(runtime, url);
    partners.push({ keyId, secret: keySecret });
  }
  const listings = await runtime.db
    .knex('listings')
    .where({ environment: 'SANDBOX', status: 'listed' })
    .orderByRaw('md5(domain)')
    .select('domain', { priceCents: 'price_cents' }, 'currency');

  const processes = [
    spawnProgram(['api/main.ts'], runtime.env, ['ignore', 'ignore', 'inherit']),
    ...Array.from({ length: workers }, () =>
      spawnProgram(['workers/main.ts'], { ...runtime.env, PORT: '0' }, [
        'ignore',
        'ignore',
        'inherit',
      ]),
    ),
  ];
  const baseUrl = `http://127.0.0.1:${port}`;
  while (!(await isReady(baseUrl))) await sleep(100);
  return {
    baseUrl,
    partners,
    listings,
    cpuMicros: () =>
      cpuMicros(
        runtime,
        processes.map(({ pid = 0 }) => ({
          usage: async () => ({ cpuMicros: treeMicros(pid), rssBytes: 0 }),
        })),
      ),
    async stop() {
      await Promise.all(processes.map((each) => endProcess(each, 'SIGTERM')));
      await receiver.stop();
      await runtime.stop();
    },
  };
}

const isReady = (baseUrl: string) =>
  fetch(`${baseUrl}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  );
