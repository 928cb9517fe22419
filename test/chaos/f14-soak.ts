import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { historyOf } from '../support/running-service.ts';
import { givenEvents, givenSubject } from '../support/webhooks.ts';
import { DEAD_NEIGHBOR, type Market, withMarket } from './market.ts';
import type { FaultRun, Trial } from './trial.ts';
import { type Arrival, countDeliveries, untilNoneIsLeft } from './verify.ts';

/** Share of requests that the receiver refuses. */
const REFUSED = 0.02;
/** Orders that the events are about. */
const SUBJECTS = 100;
const TICK_MS = 200;
const SAMPLE_MS = 1_000;
/** Growth of the last quarter's median over the second's that is no leak yet. */
const GROWTH = 1.2;
const MEGABYTE = 1_048_576;

/** Memory in megabytes at one moment. */
interface Sample {
  workers: number;
  redis: number;
}

export const soak: FaultRun = {
  id: 'F14',
  title: 'Events for a long time, a few of them refused, while memory is watched',
  run: (trial) =>
    withMarket(trial, { apis: 0, env: { WEBHOOK_MAX_IN_FLIGHT: '16' } }, (market) =>
      lastLong(trial, market),
    ),
};

async function lastLong(trial: Trial, market: Market): Promise<void> {
  const { runtime, receiver, partner } = market;
  const seconds = trial.amount({ short: 10, normal: 120, long: 1_800 });
  const rate = trial.amount({ short: 50, normal: 150, long: 250 });
  await market.register();
  const subjects = Array.from({ length: SUBJECTS }, givenSubject);
  const arrivals: Arrival[] = [];
  receiver.answer(({ event }) => {
    // Half a million requests in full would be more memory than what is watched.
    receiver.received.length = 0;
    const accepted = !trial.random.chance(REFUSED);
    arrivals.push({ eventId: event.id, accepted });
    return { status: accepted ? 200 : 503 };
  });
  const samples: Sample[] = [];
  const ending = new AbortController();
  const watching = watch(market, samples, ending.signal);
  const end = performance.now() + seconds * 1_000;
  let sent = 0;
  while (performance.now() < end) {
    const due = Math.ceil((rate * TICK_MS) / 1_000);
    await givenEvents(runtime, partner, due, () => trial.random.pick(subjects));
    sent += due;
    await sleep(Math.max(0, (sent / rate) * 1_000 - (performance.now() - end + seconds * 1_000)));
  }
  const since = performance.now();
  ending.abort();
  await watching;
  await untilNoneIsLeft(
    trial,
    'deliveries are open',
    // To count hundreds of thousands again and again would be more work than what is watched.
    () =>
      runtime.db
        .knex('webhook_deliveries as d')
        .join('webhook_endpoints as w', 'w.id', 'd.endpoint_id')
        .whereNot('d.state', 'delivered')
        .whereNot('w.name', DEAD_NEIGHBOR)
        .limit(10)
        .pluck('d.id'),
    () => sent - arrivals.length,
  );
  trial.recovered(performance.now() - since);
  const total = (await historyOf(runtime)).length;
  await countDeliveries(trial, runtime, arrivals);
  trial.note(`${total} events in ${seconds} s`);
  judge(trial, samples);
}

async function watch(market: Market, samples: Sample[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const memory = `${await market.redis.command('info', 'memory')}`;
    const redis = Number(/used_memory:(\d+)/.exec(memory)?.[1]) / MEGABYTE;
    const workers = market.workers.map(({ pid }) => residentOf(pid));
    samples.push({ redis, workers: workers.reduce((sum, each) => sum + each, 0) });
    await sleep(SAMPLE_MS, undefined, { signal }).catch(() => {});
  }
}

function residentOf(pid: number | undefined): number {
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(stdout) / 1_024;
}

/** Memory may settle in the first quarter; a short run only tells what it was. */
function judge(trial: Trial, samples: readonly Sample[]): void {
  for (const name of ['workers', 'redis'] as const) {
    const values = samples.map((sample) => sample[name]);
    const quarter = Math.floor(values.length / 4);
    const [early, late] = [
      median(values.slice(quarter, 2 * quarter)),
      median(values.slice(-quarter)),
    ];
    trial.note(`${name} ${early.toFixed(0)} MB, at the end ${late.toFixed(0)} MB`);
    const flat = late < early * GROWTH + 16;
    trial.expect(trial.size === 'short' || flat, `${name} grew to ${late.toFixed(0)} MB`);
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
