import { setTimeout as sleep } from 'node:timers/promises';
import { LoadClient } from './load-client.ts';
import type { LoadedMarketplace, Used } from './marketplace.ts';
import type { RequestKind } from './request-mix.ts';

/** The resources used by one kind of request and all work it causes. */
export interface Cost extends Used {
  name: string;
}

/** Few enough that requests don't queue, and enough that they sometimes share a batch, as in production. */
const CALLERS = 4;

/**
 * Sends each kind of request alone for some seconds, waits until all its work is done, and divides the resources used.
 * The service's idle usage is measured first and subtracted.
 */
export async function measureCosts(
  market: LoadedMarketplace,
  kinds: readonly RequestKind[],
  seconds: number,
): Promise<Cost[]> {
  const costs: Cost[] = [];
  await market.atRest();
  const idle = await usedIn(market, () => sleep(seconds * 1_000));
  for (const { name, make } of kinds) {
    const client = new LoadClient(market.baseUrl, make);
    try {
      await client.taken(CALLERS, 1);
      await market.atRest();
      let taken = 0;
      const busy = await usedIn(market, async () => {
        taken = await client.taken(CALLERS, seconds);
        await market.atRest();
      });
      if (client.failures.size > 0) throw new Error(`${name}: ${[...client.failures.keys()]}`);
      const each = (key: Counter) =>
        Math.max(0, busy.used[key] - (idle.used[key] * busy.ms) / idle.ms) / taken;
      const counters = COUNTERS.map((key) => [key, each(key)]);
      const jobs = Object.entries(busy.used.jobs).map(([job, runs]) => [job, runs / taken]);
      costs.push({ name, ...Object.fromEntries(counters), jobs: Object.fromEntries(jobs) });
    } finally {
      await client.close();
    }
  }
  return costs;
}

const COUNTERS = [
  'api',
  'workers',
  'postgres',
  'redis',
  'logBytes',
  'commits',
  'pagesRead',
  'deliveries',
] as const satisfies readonly (keyof Used)[];
type Counter = (typeof COUNTERS)[number];

async function usedIn(
  market: LoadedMarketplace,
  work: () => Promise<unknown>,
): Promise<{ used: Used; ms: number }> {
  const [before, began] = [await market.used(), performance.now()];
  await work();
  const [after, ms] = [await market.used(), performance.now() - began];
  const counters = COUNTERS.map((key) => [key, after[key] - before[key]]);
  const jobs = Object.entries(after.jobs).map(([job, runs]) => [
    job,
    runs - (before.jobs[job] ?? 0),
  ]);
  return { used: { ...Object.fromEntries(counters), jobs: Object.fromEntries(jobs) }, ms };
}
