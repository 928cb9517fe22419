import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_ENDPOINT, type EndpointOwner } from '../../shared/messaging/webhooks/endpoint.ts';
import { updateEndpoint } from '../../shared/messaging/webhooks/manage-endpoint.ts';
import type { TestRuntime } from '../../test/support/runtime.ts';
import { freePort } from '../../test/support/service-process.ts';
import { givenEndpoint, givenEvents, givenSubject } from '../../test/support/webhooks.ts';
import { type Market, withMarket } from './market.ts';
import type { FaultRun, Trial } from './trial.ts';
import { type Arrival, countDeliveries, untilNoneIsLeft } from './verify.ts';

/** Share of requests that the receiver rejects. */
const REFUSED = 0.02;
/** Partners, each with an endpoint that gets each subject in order, and how many of the endpoints never answer. */
const PARTNERS = 20;
const DEAD = 2;
/** Orders per partner that the events are about. */
const SUBJECTS = 10;
const TICK_MS = 200;
const SAMPLE_MS = 1_000;
/** How much the last quarter's median may exceed the second quarter's before it counts as a leak. */
const GROWTH = 1.2;
const MEGABYTE = 1_048_576;

/** Memory in megabytes at one moment. */
interface Sample {
  worker: number;
  redis: number;
}

/** A partner, what its events are about, and what arrived. */
interface Subscriber {
  owner: EndpointOwner;
  endpointId: string;
  subjects: readonly string[];
  arrivals: Arrival[];
}

export const soak: FaultRun = {
  id: 'F14',
  title: 'Events for a long time, workers killed at random, while memory is watched',
  run: (trial) =>
    withMarket(trial, { apis: 0, workers: 3, env: { webhookMaxInFlight: 16 } }, (market) =>
      lastLong(trial, market),
    ),
};

async function lastLong(trial: Trial, market: Market): Promise<void> {
  const { runtime, receiver } = market;
  const seconds = trial.amount({ short: 10, normal: 120, long: 3_600 });
  const rate = trial.amount({ short: 50, normal: 150, long: 250 });
  const nobody = `http://127.0.0.1:${await freePort()}/hook`;
  const subscribeAll = (count: number, url: string) =>
    Promise.all(Array.from({ length: count }, () => subscribe(runtime, url)));
  const dead = await subscribeAll(DEAD, nobody);
  const alive = await subscribeAll(PARTNERS - DEAD, receiver.url);
  const arrivals = new Map(alive.map((each) => [each.owner.partnerId, each.arrivals]));
  receiver.answer(({ event }) => {
    // Half a million complete requests would take more memory than the processes under watch.
    receiver.received.length = 0;
    const accepted = !trial.random.chance(REFUSED);
    arrivals.get(event.partner_id)?.push({ eventId: event.id, accepted });
    return { status: accepted ? 200 : 503 };
  });
  const samples: Sample[] = [];
  const ending = new AbortController();
  const beside = [watch(market, samples, ending.signal), killWorkers(trial, market, ending.signal)];
  const begun = performance.now();
  let sent = 0;
  while (performance.now() < begun + seconds * 1_000) {
    const due = Math.ceil((rate * TICK_MS) / 1_000 / PARTNERS);
    // All at once, as partners sell; one after the other couldn't keep up with the rate on a busy machine.
    await Promise.all(
      [...alive, ...dead].map(({ owner, subjects }) =>
        givenEvents(runtime, owner, due, () => trial.random.pick(subjects)),
      ),
    );
    sent += due * PARTNERS;
    await sleep(Math.max(0, (sent / rate) * 1_000 - (performance.now() - begun)));
  }
  const since = performance.now();
  ending.abort();
  await Promise.all(beside);
  await untilNoneIsLeft(
    trial,
    'deliveries are open',
    // Counting hundreds of thousands again and again would be more work than the work under test.
    () =>
      runtime.db
        .knex('webhook_deliveries')
        .whereNot('state', 'delivered')
        .whereNotIn(
          'endpoint_id',
          dead.map(({ endpointId }) => endpointId),
        )
        .limit(10)
        .pluck('id'),
    { toGo: () => sent - alive.reduce((sum, each) => sum + each.arrivals.length, 0) },
  );
  trial.recovered(performance.now() - since);
  for (const each of alive) {
    await countDeliveries(trial, runtime, each.arrivals, each.owner.partnerId);
  }
  trial.note(`${sent} events in ${seconds} s`);
  judge(trial, samples);
}

async function subscribe(runtime: TestRuntime, url: string): Promise<Subscriber> {
  const { endpointId, partnerId, environment } = await givenEndpoint(runtime, url);
  const owner = { partnerId, environment };
  await updateEndpoint(runtime, owner, DEFAULT_ENDPOINT, { ordering: 'per_subject' });
  return {
    owner,
    endpointId,
    subjects: Array.from({ length: SUBJECTS }, givenSubject),
    arrivals: [],
  };
}

/** Kills workers again and again, except the first one, whose memory is watched. */
async function killWorkers(trial: Trial, { workers }: Market, signal: AbortSignal): Promise<void> {
  const every = trial.amount({ short: 4_000, normal: 15_000, long: 30_000 });
  let kills = 0;
  for (;;) {
    await sleep(every * trial.random.between(0.5, 1.5), undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    const victim = trial.random.pick(workers.slice(1));
    await victim.kill();
    victim.start();
    await victim.untilUp();
    kills += 1;
  }
  trial.note(`${kills} workers were killed`);
}

async function watch(market: Market, samples: Sample[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const memory = `${await market.redis.command('info', 'memory')}`;
    const redis = Number(/used_memory:(\d+)/.exec(memory)?.[1]) / MEGABYTE;
    samples.push({ redis, worker: residentOf(market.workers[0]?.pid) });
    await sleep(SAMPLE_MS, undefined, { signal }).catch(() => {});
  }
}

function residentOf(pid: number | undefined): number {
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(stdout) / 1_024;
}

/** Checks memory for growth. It may settle in the first quarter; a short run only reports it. */
function judge(trial: Trial, samples: readonly Sample[]): void {
  for (const name of ['worker', 'redis'] as const) {
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
