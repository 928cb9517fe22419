import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../test/support/eventually.ts';
import type { PartnerFixture } from '../../test/support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../test/support/runtime.ts';
import { type Child, startChild } from '../support/child.ts';
import { cpuMicros } from '../support/cpu-time.ts';
import { bullmq } from './peers/bullmq.ts';
import { ATTEMPTS_TABLE } from './peers/delivery.ts';
import { graphileWorker } from './peers/graphile-worker.ts';
import { produceOurs } from './peers/ours.ts';
import type { Peer, PeerJob, Producer, Work } from './peers/peer.ts';
import { pgBoss } from './peers/pg-boss.ts';
import { readRuns } from './support/run-log.ts';
import { scaled } from './support/settings.ts';
import { givenEndpoints } from './webhooks.ts';

const PEERS: readonly Peer[] = [bullmq, graphileWorker, pgBoss];
const COUNT: Record<Work, number> = { deliveries: 6_000, 'no-ops': 10_000 };
/** How many jobs each side adds at once, ours in one transaction. */
const ADDED_AT_ONCE = 500;
/** Operations before the measurement, in the same process. */
const WARM_UP = 1_000;
const ROUNDS = 3;
/** How long to wait for the work of a killed worker. */
const PATIENCE_MS = 75_000;

/** The results of one side for one kind of work: one value per round, and the recovery from a killed worker. */
export interface PeerResult {
  work: Work;
  name: string;
  /** From the first request to add work until all is done, in units per second. */
  rates: number[];
  /** Of producer, worker, Postgres and Redis, per unit. */
  cpuMicros: number[];
  killed: KillResult;
}

export interface KillResult {
  /** Not done within {@link PATIENCE_MS} of the kill. */
  missing: number;
  twice: number;
  /** The longest time after the kill without new results although work was left. */
  stoodStillMs: number;
  /** From the kill to the last result; undefined if some are missing. */
  lastMs: number | undefined;
}

interface Side {
  name: string;
  script: string;
  env: Record<string, string>;
  producer: Producer;
}

interface Bench {
  runtime: TestRuntime;
  work: Work;
  receiver: Child;
  runLog: string;
}

/** Measures deliveries and no-op jobs: ours and the peers in turn, each in its own worker process. */
export async function benchPeers(): Promise<PeerResult[]> {
  const results: PeerResult[] = [];
  const folder = mkdtempSync(path.join(tmpdir(), 'peers-'));
  try {
    for (const work of ['deliveries', 'no-ops'] as const) {
      results.push(...(await benchWork(work, path.join(folder, 'runs'))));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return results;
}

async function benchWork(work: Work, runLog: string): Promise<PeerResult[]> {
  const runtime = await createTestRuntime({ DATABASE_POOL_SIZE: '16' });
  const receiver = await startChild('measure/bench/peers/receiver-process.ts', {});
  const bench: Bench = { runtime, work, receiver, runLog };
  const sides: Side[] = [];
  try {
    await runtime.db.knex.raw(ATTEMPTS_TABLE);
    sides.push(...(await openSides(bench, await givenEndpoints(runtime, receiver.ready.port))));
    const results = sides.map(
      ({ name }): PeerResult => ({
        work,
        name,
        rates: [],
        cpuMicros: [],
        killed: { missing: 0, twice: 0, stoodStillMs: 0, lastMs: 0 },
      }),
    );
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [at, side] of sides.entries()) {
        const { rate, cpu } = await measure(bench, side);
        tell(`${work}, ${side.name}: ${Math.round(rate)} a second`);
        results[at]?.rates.push(rate);
        results[at]?.cpuMicros.push(cpu);
      }
    }
    for (const [at, side] of sides.entries()) {
      const result = results[at];
      if (result) result.killed = await measureKill(bench, side);
      tell(`${work}, ${side.name} killed: ${JSON.stringify(result?.killed)}`);
    }
    return results;
  } finally {
    for (const { producer } of sides) await producer.close();
    await receiver.stop();
    await runtime.stop();
  }
}

async function openSides(
  { runtime, work, runLog }: Bench,
  partners: readonly PartnerFixture[],
): Promise<Side[]> {
  const env = { ...runtime.env, BENCH_RUN_LOG: runLog, BENCH_WORK: work };
  const place = {
    postgresUrl: runtime.config.databaseUrl,
    redisUrl: runtime.config.redisUrl,
    redisPrefix: runtime.config.redisPrefix,
  };
  const worker = work === 'deliveries' ? 'worker-process' : 'job-worker-process';
  const sides: Side[] = [
    {
      name: 'ours',
      script: `measure/bench/support/${worker}.ts`,
      env,
      producer: produceOurs(runtime, work, partners),
    },
  ];
  for (const peer of PEERS) {
    sides.push({
      name: peer.name,
      script: 'measure/bench/peers/peer-process.ts',
      env: { ...env, BENCH_PEER: peer.name },
      producer: await peer.produce(place),
    });
  }
  return sides;
}

async function measure(bench: Bench, side: Side): Promise<{ rate: number; cpu: number }> {
  const { runtime, work } = bench;
  const count = scaled(COUNT[work]);
  await reset(bench, side);
  const worker = await startChild(side.script, side.env);
  try {
    await add(bench, side, 0, WARM_UP);
    await untilIdle(side);
    const cpuBefore = await usedCpu(runtime, worker);
    const begun = performance.now();
    await add(bench, side, WARM_UP, count);
    await untilIdle(side);
    const rate = (count * 1_000) / (performance.now() - begun);
    return { rate, cpu: ((await usedCpu(runtime, worker)) - cpuBefore) / count };
  } finally {
    await worker.stop();
  }
}

async function add(bench: Bench, side: Side, from: number, count: number): Promise<void> {
  for (let at = 0; at < count; at += ADDED_AT_ONCE) {
    await side.producer.add(jobsOf(bench, from + at, Math.min(ADDED_AT_ONCE, count - at)));
  }
}

/** Kills the worker when a third is done and starts another at once. */
async function measureKill(bench: Bench, side: Side): Promise<KillResult> {
  const count = scaled(COUNT[bench.work]);
  await reset(bench, side);
  const killed = await startChild(side.script, side.env);
  const adding = add(bench, side, 0, count);
  await untilDone(bench, Math.floor(count / 3));
  await killed.kill();
  const killedAt = Date.now();
  const worker = await startChild(side.script, side.env);
  await adding;
  await Promise.race([untilDone(bench, count), sleep(PATIENCE_MS)]);
  // Duplicates may arrive after the last.
  await Promise.race([untilIdle(side), sleep(1_000)]);
  const doings = await doingsOf(bench);
  await worker.stop();
  return judge(doings, count, killedAt);
}

function judge(doings: readonly Doing[], count: number, killedAt: number): KillResult {
  const firsts = new Map<string, number>();
  for (const { n, at } of doings) if (!firsts.has(n)) firsts.set(n, at);
  const missing = count - firsts.size;
  const times = [...firsts.values()].filter((at) => at > killedAt);
  const last = times.at(-1) ?? killedAt;
  const ends = [...times, ...(missing > 0 ? [killedAt + PATIENCE_MS] : [])];
  let [before, stoodStillMs] = [killedAt, 0];
  for (const at of ends) {
    stoodStillMs = Math.max(stoodStillMs, at - before);
    before = at;
  }
  return {
    missing,
    twice: doings.length - firsts.size,
    stoodStillMs,
    lastMs: missing > 0 ? undefined : last - killedAt,
  };
}

interface Doing {
  n: string;
  at: number;
}

async function doingsOf({ work, receiver, runLog }: Bench): Promise<Doing[]> {
  if (work === 'no-ops') return readRuns(runLog);
  receiver.send({ ask: 'arrivals' });
  return ((await receiver.next()) as unknown as { arrivals: Doing[] }).arrivals;
}

async function untilDone(bench: Bench, count: number): Promise<void> {
  const { work, receiver, runLog } = bench;
  if (work === 'deliveries') {
    receiver.send({ wanted: count });
    await receiver.next();
    return;
  }
  await eventually(
    async () =>
      statSync(runLog).size === 0 ? 0 : new Set(readRuns(runLog).map(({ n }) => n)).size,
    (done) => done >= count,
    { everyMs: 50, withinMs: 2 * PATIENCE_MS },
  ).catch(() => {});
}

async function untilIdle({ producer }: Side): Promise<void> {
  await eventually(() => producer.isIdle(), undefined, { everyMs: 50, withinMs: 2 * PATIENCE_MS });
}

async function reset({ receiver, runLog }: Bench, { producer }: Side): Promise<void> {
  await producer.clear();
  receiver.send({ reset: true });
  writeFileSync(runLog, '');
}

function jobsOf({ work, receiver }: Bench, from: number, count: number): PeerJob[] {
  return Array.from({ length: count }, (_, at) => {
    const n = from + at;
    if (work === 'no-ops') return { n };
    return { n, url: `http://127.0.0.1:${receiver.ready.port}/${n % 20}`, body: bodyOf(n) };
  });
}

function bodyOf(n: number): string {
  return JSON.stringify({
    id: `evt_${n}`,
    type: 'order.recorded',
    created_at: new Date().toISOString(),
    partner_id: 'ptr_00000000000000000000000000',
    data: {
      order: {
        public_id: 'ord_00000000000000000000000000',
        domain: 'example.com',
        status: 'EXTERNALLY_PAID',
        sale_price_cents: 485_000,
        currency: 'USD',
      },
    },
  });
}

function tell(what: string): void {
  process.stderr.write(`  ${what}\n`);
}

/** Includes this process, which adds the work. */
async function usedCpu(runtime: TestRuntime, worker: Child): Promise<number> {
  const { user, system } = process.cpuUsage();
  return user + system + (await cpuMicros(runtime, [worker]));
}
