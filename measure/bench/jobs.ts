import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { eventually } from '../../test/support/eventually.ts';
import { createTestRuntime, type TestRuntime } from '../../test/support/runtime.ts';
import { runIn } from '../../test/support/transaction.ts';
import { type Child, startChild } from '../support/child.ts';
import { cpuMicros } from '../support/cpu-time.ts';
import { alternate, type Figure } from '../support/figures.ts';
import { scaled } from './support/settings.ts';

/** Enough that both sides take a second or more. */
const JOBS = 10_000;
const BATCH = 500;

/** Measures no-op jobs from the commit of their rows until each row is done, against BullMQ alone. */
export async function benchJobs(): Promise<Figure> {
  const runtime = await createTestRuntime({ DATABASE_POOL_SIZE: '16' });
  const ours = await startChild('measure/bench/support/job-worker-process.ts', runtime.env);
  const bare = await startChild('measure/bench/support/bullmq-process.ts', runtime.env);
  const connection = new Redis(runtime.config.redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue('bare', { connection, prefix: runtime.config.redisPrefix });
  const cpu = { ours: [] as number[], limit: [] as number[] };
  try {
    const rates = await alternate(
      () => doRows(runtime, ours, cpu.ours),
      () => doBare(runtime, queue, bare, cpu.limit),
    );
    return {
      name: 'Jobs that do nothing, one worker process (claim, hand over, begin, end, each durably)',
      unit: 'jobs/s',
      limitName: 'BullMQ alone, 64 at once',
      goal: { share: 0.6 },
      ...rates,
      cpu: { ours: cpu.ours.slice(1), limit: cpu.limit.slice(1) },
    };
  } finally {
    await queue.close();
    connection.disconnect();
    await bare.stop();
    await ours.stop();
    await runtime.stop();
  }
}

async function doRows(runtime: TestRuntime, worker: Child, cpu: number[]): Promise<number> {
  const { db } = runtime;
  const jobs = scaled(JOBS);
  let [begun, cpuBefore] = [0, 0];
  await db.transact(async (uow) => {
    const rows = db.knex.raw(
      `insert into outbox (queue, name, payload, run_at, created_at)
       select 'transfers', 'no-op', jsonb_build_object('n', n), now() - interval '1 second', now()
       from generate_series(1, :jobs::int) n`,
      { jobs },
    );
    await runIn(uow.sql, rows);
    uow.wakeRelay();
    cpuBefore = await cpuMicros(runtime, [worker]);
    begun = performance.now();
  });
  await eventually(
    () => db.knex('outbox').whereNot({ state: 'done' }).limit(1),
    (open) => open.length === 0,
    { everyMs: 50, withinMs: 120_000 },
  );
  const rate = (jobs * 1_000) / (performance.now() - begun);
  cpu.push(((await cpuMicros(runtime, [worker])) - cpuBefore) / jobs);
  // As in production, where the statistics show nearly all rows as done.
  await db.knex.raw('analyze outbox');
  await db.knex.raw('truncate outbox');
  return rate;
}

async function doBare(
  runtime: TestRuntime,
  queue: Queue,
  worker: Child,
  cpu: number[],
): Promise<number> {
  const jobs = scaled(JOBS);
  worker.send({ wanted: jobs });
  const ended = worker.next();
  // Includes the process that adds the jobs, as our side includes the relay.
  const cpuBefore = (await cpuMicros(runtime, [])) + ownMicros();
  const begun = performance.now();
  for (let from = 0; from < jobs; from += BATCH) {
    await queue.addBulk(
      Array.from({ length: BATCH }, (_, at) => ({
        name: 'no-op',
        data: { n: from + at },
        opts: { removeOnComplete: true },
      })),
    );
  }
  const { cpuMicros: workerMicros = 0 } = await ended;
  const rate = (jobs * 1_000) / (performance.now() - begun);
  cpu.push(((await cpuMicros(runtime, [])) + ownMicros() + workerMicros - cpuBefore) / jobs);
  return rate;
}

function ownMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
