import { eventually } from '../../test/support/eventually.ts';
import { createTestRuntime, type TestRuntime } from '../../test/support/runtime.ts';
import { runIn } from '../../test/support/transaction.ts';
import { startChild } from '../support/child.ts';
import { alternate, type Figure, perSecond } from '../support/figures.ts';

/** Enough that both sides take a second or more. */
const JOBS = 50_000;
const BATCH = 500;
const QUEUE = 'referrals';

/** Measures the relay of outbox rows to BullMQ against adding the same jobs without rows. */
export async function benchRelay(): Promise<Figure> {
  const runtime = await createTestRuntime();
  const relay = await startChild('measure/bench/support/worker-process.ts', {
    ...runtime.env,
    BENCH_QUEUE: 'none',
  });
  try {
    return {
      name: 'Outbox rows to BullMQ, one relay (claim, hand over, so that a crash loses and doubles nothing)',
      unit: 'jobs/s',
      limitName: `bare addBulk of ${BATCH} jobs at a time`,
      goal: { share: 0.6 },
      ...(await alternate(
        () => carry(runtime),
        () => addAlone(runtime),
      )),
    };
  } finally {
    await relay.stop();
    await runtime.stop();
  }
}

/** Measures from the commit of the rows until the last one is in its queue. */
async function carry({ db, queues }: TestRuntime): Promise<number> {
  let committing = 0;
  await db.transact(async (uow) => {
    const rows = db.knex.raw(
      `insert into outbox (queue, name, payload, run_at, created_at)
       select :queue, 'bench', '{}', now() - interval '1 second', now() from generate_series(1, :jobs::int)`,
      { queue: QUEUE, jobs: JOBS },
    );
    await runIn(uow.sql, rows);
    uow.wakeRelay();
    committing = performance.now();
  });
  await eventually(
    () => db.knex('outbox').where({ state: 'pending' }).limit(1),
    (waiting) => waiting.length === 0,
    { everyMs: 5, withinMs: 60_000 },
  );
  // A backlog is sent in batches.
  const { rows } = await db.knex.raw('select count(distinct batch_id) as batches from outbox');
  await eventually(
    () => queues.get(QUEUE).count(),
    // The fleet's schedules add a few of their own.
    (count) => count >= rows[0].batches,
    { everyMs: 5, withinMs: 60_000 },
  );
  const rate = (JOBS * 1_000) / (performance.now() - committing);
  await db.knex.raw('truncate outbox');
  await queues.get(QUEUE).obliterate({ force: true });
  return rate;
}

let round = 0;

async function addAlone({ queues }: TestRuntime): Promise<number> {
  round += 1;
  const queue = queues.get(QUEUE);
  const rate = await perSecond(JOBS, async () => {
    for (let from = 0; from < JOBS; from += BATCH) {
      await queue.addBulk(
        Array.from({ length: BATCH }, (_, index) => ({
          name: 'bench',
          data: { outboxId: from + index, epoch: 1 },
          opts: { jobId: `bare-${round}-${from + index}` },
        })),
      );
    }
  });
  await queue.obliterate({ force: true });
  return rate;
}
