import { createTestRuntime } from '../../test/support/runtime.ts';
import { readArguments } from '../support/arguments.ts';
import { describeSurroundings, type Surroundings } from '../support/report.ts';
import { measureCosts } from './costs.ts';
import { LoadClient } from './load-client.ts';
import { costRows, type Fleet, writeCosts, writeFleets, writeLoad } from './load-report.ts';
import { type LoadedMarketplace, startMarketplace } from './marketplace.ts';
import { createRequestMix, type RequestKind, requestKinds } from './request-mix.ts';
import { runStage, type Stage, secondsToRecover } from './stages.ts';
import { type LateWork, lateWork } from './work-latency.ts';

const SHARES = [0.25, 0.5, 0.75, 0.9, 1.25, 1.5, 2];
/** Closed-loop callers per API process: enough to keep it busy, and too few to be shed. */
const CALLERS = 12;
/**
 * Warms up until code is compiled, caches are full and Postgres has table statistics: two consecutive windows differ by
 * at most `difference`, within the given numbers of windows.
 */
const WARM_UP = { windowSeconds: 15, difference: 0.05, atLeast: 6, atMost: 12 };
/** The share of capacity at which to measure work delays. */
const LATE_WORK_AT = 0.75;
/** Latency this many times the normal one, after the overload, counts as disturbed. */
const CALM_TIMES = 2;

const USAGE = `npm run load -- [--api n] [--workers n] [--seconds n] [--processes 1,2,4] [--costs] [--write]

Requests arrive at a quarter of what the service can do up to twice as much, for --seconds each. With --processes only
what so many API processes can do is measured, with --costs what a request of each kind uses. --write keeps the figures in docs/scaling.md.`;

const { values } = readArguments(USAGE, {
  options: {
    api: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
    processes: { type: 'string' },
    seconds: { type: 'string', default: '20' },
    costs: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);
if (values.processes) await measureFleets(values.processes.split(',').map(Number));
else if (values.costs) await measureKinds();
else await measureLoad({ api: Number(values.api), workers: Number(values.workers) });

/** Loads a marketplace from a quarter of its capacity to twice as much, and waits until it has recovered. */
async function measureLoad(fleet: { api: number; workers: number }): Promise<void> {
  await withMarketplace(fleet, async (client, market) => {
    const capacity = await client.capacity(CALLERS * fleet.api, seconds);
    process.stderr.write(`capacity: ${Math.round(capacity)} requests/s\n`);
    const stages: Stage[] = [];
    let late: LateWork | undefined;
    for (const share of SHARES) {
      const before = await market.workerMetrics();
      stages.push(await runStage(client, capacity, share, seconds));
      process.stderr.write(`${describe(stages.at(-1) as Stage)}\n`);
      if (share === LATE_WORK_AT) late = lateWork(before, await market.workerMetrics());
    }
    if (late) process.stderr.write(`at 75 %: ${JSON.stringify(late)}\n`);
    const after = await runStage(client, capacity, 0.5, seconds);
    process.stderr.write(`${describe(after)}, right after the overload\n`);
    const calm = stages.find(({ share }) => share === 0.5) as Stage;
    const recovery = secondsToRecover(after, seconds, CALM_TIMES * calm.p99);
    process.stderr.write(`recovered after ${recovery} s\n`);
    for (const [what, count] of client.failures)
      process.stderr.write(`failed: ${what}, ${count}\n`);
    if (values.write) {
      const run = { surroundings: await surroundings(), capacity, stages, recovery, ...fleet };
      writeLoad({ ...run, ...(late && { late }) });
    }
  });
}

/** Measures the capacity of several numbers of processes, and the CPU time used. */
async function measureFleets(counts: readonly number[]): Promise<void> {
  const fleets: Fleet[] = [];
  for (const processes of counts) {
    await withMarketplace({ api: processes, workers: processes }, async (client, market) => {
      const [before, began] = [await cpuMicros(market), performance.now()];
      const perSecond = await client.capacity(CALLERS * processes, seconds);
      const elapsed = (performance.now() - began) / 1_000;
      const cores = ((await cpuMicros(market)) - before) / 1_000_000;
      fleets.push({ processes, perSecond, perCore: (perSecond * elapsed) / cores });
    });
    const { perSecond, perCore } = fleets.at(-1) as Fleet;
    process.stderr.write(
      `${processes} processes: ${Math.round(perSecond)} requests/s, ${Math.round(perCore)} a core\n`,
    );
  }
  if (values.write) writeFleets(await surroundings(), fleets);
}

async function cpuMicros(market: LoadedMarketplace): Promise<number> {
  const { api, workers, postgres, redis } = await market.used();
  return api + workers + postgres + redis;
}

/** Measures the CPU time of each kind of request, by process. */
async function measureKinds(): Promise<void> {
  await withMarketplace({ api: 1, workers: 1 }, async (_, market, kinds) => {
    const costs = await measureCosts(market, kinds, seconds);
    process.stderr.write(`${costRows(costs).join('\n')}\n`);
    if (values.write) writeCosts(await surroundings(), costs);
  });
}

/** Runs `measure` against a warm marketplace, with the same kinds of requests, which order each name once. */
async function withMarketplace(
  fleet: { api: number; workers: number },
  measure: (
    client: LoadClient,
    market: LoadedMarketplace,
    kinds: readonly RequestKind[],
  ) => Promise<void>,
): Promise<void> {
  const market = await startMarketplace(fleet);
  const kinds = requestKinds(market);
  const client = new LoadClient(market.baseUrl, createRequestMix(kinds));
  try {
    await warmUp(client, CALLERS * fleet.api);
    client.failures.clear();
    await measure(client, market, kinds);
  } finally {
    await client.close();
    await market.stop();
  }
}

async function warmUp(client: LoadClient, callers: number): Promise<void> {
  let before = 0;
  for (let window = 0; window < WARM_UP.atMost; window += 1) {
    const now = await client.capacity(callers, WARM_UP.windowSeconds);
    const isSteady = Math.abs(now - before) <= WARM_UP.difference * now;
    if (isSteady && window + 1 >= WARM_UP.atLeast) return;
    before = now;
  }
}

async function surroundings(): Promise<Surroundings> {
  const runtime = await createTestRuntime();
  const found = await describeSurroundings(runtime);
  await runtime.stop();
  return found;
}

function describe({ share, perSecond, taken, shed, failed, p50, p99, p999 }: Stage): string {
  const ms = [p50, p99, p999].map((value) => value.toFixed(0)).join(', ');
  return `${Math.round(share * 100)} %: ${Math.round(perSecond)} requests/s due, ${Math.round(taken)} taken, ${shed} shed, ${failed} failed; p50, p99, p99.9 ${ms} ms`;
}
