import type { ChildProcess } from 'node:child_process';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { seedTlds } from '../../db/seeds/tlds.ts';
import { importListings } from '../../shared/market/inventory/import-listings.ts';
import { metricsIn, type Sample } from '../../test/support/metrics.ts';
import { createTestRuntime, type TestRuntime } from '../../test/support/runtime.ts';
import { endProcess, freePort, spawnProgram } from '../../test/support/service-process.ts';
import type { KeyPair } from '../../test/support/signed-client.ts';
import { givenEndpoint } from '../../test/support/webhooks.ts';
import { startChild } from '../support/child.ts';
import { storeMicros, treeMicros } from '../support/cpu-time.ts';
import { inventoryLines } from '../support/search-inventory.ts';

const LISTINGS = 30_000;
const PARTNERS = 20;

export interface Listing {
  domain: string;
  priceCents: number;
  currency: string;
}

/** CPU time in microseconds, bytes of log, and machine-independent counts. */
export interface Used {
  api: number;
  workers: number;
  postgres: number;
  redis: number;
  logBytes: number;
  /** Postgres transactions, including single statements. */
  commits: number;
  /** Pages of 8 kB, cached or not. */
  pagesRead: number;
  /** Requests to webhook endpoints. */
  deliveries: number;
  /** The number of runs of each job. */
  jobs: Readonly<Record<string, number>>;
}

/** A marketplace of real processes, with names to sell and partners with webhook endpoints. */
export interface LoadedMarketplace {
  baseUrl: string;
  partners: readonly KeyPair[];
  listings: readonly Listing[];
  /** Returns the resources used since the start. */
  used(): Promise<Used>;
  /** Waits until no job or delivery is running, due, or due within seconds, like the next step of a transfer. */
  atRest(): Promise<void>;
  /** Returns the workers' metrics since their start. */
  workerMetrics(): Promise<Sample[]>;
  stop(): Promise<void>;
}

/** Starts `api` processes behind one port and `workers` with all queues, without rate limits. */
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
  // Vacuum now, so that it does not start during a stage or change plans there.
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

  let logBytes = 0;
  const start = (program: string, env: Record<string, string>) => {
    const child = spawnProgram([program], { ...runtime.env, LOG_LEVEL: 'info', ...env }, [
      'ignore',
      'pipe',
      'inherit',
    ]);
    child.stdout?.on('data', (text: Buffer) => {
      logBytes += text.length;
    });
    return child;
  };
  const metricsPorts = await Promise.all(Array.from({ length: workers }, () => freePort()));
  const web = start('api/main.ts', {});
  const fleet = metricsPorts.map((metricsPort) =>
    start('workers/main.ts', { PORT: '0', METRICS_PORT: String(metricsPort) }),
  );
  const baseUrl = `http://127.0.0.1:${port}`;
  while (!(await isReady(baseUrl))) await sleep(100);
  return {
    baseUrl,
    partners,
    listings,
    async used() {
      const micros = ({ pid = 0 }: ChildProcess) => treeMicros(pid);
      return {
        api: micros(web),
        workers: fleet.reduce((sum, worker) => sum + micros(worker), 0),
        ...(await storeMicros(runtime)),
        logBytes,
        ...(await workDone(runtime)),
      };
    },
    async atRest() {
      while (await hasWork(runtime)) await sleep(100);
    },
    async workerMetrics() {
      const texts = metricsPorts.map(async (metricsPort) =>
        (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
      );
      return (await Promise.all(texts)).flatMap(metricsIn);
    },
    async stop() {
      await Promise.all([web, ...fleet].map((each) => endProcess(each, 'SIGTERM')));
      await receiver.stop();
      await runtime.stop();
    },
  };
}

/** Returns Postgres' counts of finished work. */
async function workDone({
  db,
}: TestRuntime): Promise<Pick<Used, 'commits' | 'pagesRead' | 'deliveries' | 'jobs'>> {
  const counted = await db.knex.raw(
    `select xact_commit as commits, blks_hit + blks_read as "pagesRead",
       (select count(*) from webhook_attempts) as deliveries
     from pg_stat_database where datname = current_database()`,
  );
  const jobs = await db.knex.raw('select name, sum(attempts) as runs from outbox group by name');
  const runs = (jobs.rows as { name: string; runs: number }[]).map(({ name, runs }) => [
    name,
    runs,
  ]);
  return { ...counted.rows[0], jobs: Object.fromEntries(runs) };
}

async function hasWork({ db }: TestRuntime): Promise<boolean> {
  const { rows } = await db.knex.raw(
    `select exists (select from outbox where state in ('pending', 'dispatched')
         and run_at <= now() + interval '5 seconds')
       or exists (select from webhook_deliveries where state = 'pending' and next_attempt_at <= now()) as busy`,
  );
  return rows[0].busy;
}

const isReady = (baseUrl: string) =>
  fetch(`${baseUrl}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  );
