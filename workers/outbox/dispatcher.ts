import {
  type CarriedJobs,
  type DispatchedJob,
  jobIdOf,
  ticketOf,
} from '../../shared/messaging/jobs/job.ts';
import type { JobLifecycle } from '../../shared/messaging/jobs/job-lifecycle.ts';
import { isQueueName, isStanding, type Queues } from '../../shared/messaging/jobs/job-queues.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import type { WorkerServices } from '../compose-workers.ts';
import { type Loop, startLoop } from '../runtime/poll-loop.ts';

/** The maximum number of rows in one claim. */
const CLAIM_SIZE = 1_000;
const RECONCILE_PAGE = 500;
/** The number of consecutive batches before the relay checks Redis again. */
const MAX_BATCHES = 20;
/** BullMQ's failure reason for a job whose workers died repeatedly. */
const STALLED = 'job stalled more than allowable limit';

/**
 * Sends outbox rows to BullMQ, whose workers run them (`consumeJob`). Claims are committed before Redis is touched;
 * after any later failure the claim's lease lets the row be sent again.
 */
export interface Dispatcher {
  /** Sends up to `limit` due rows; returns how many were claimed. Fewer than `limit` means that nothing else is due. */
  dispatch(limit: number): Promise<number>;
  /**
   * Checks sent rows whose lease has expired (with `everything`, all sent rows, because Redis may have lost jobs), and
   * requeues those whose job is gone. Returns how many.
   */
  reconcile(options: { everything: boolean }): Promise<number>;
}

export function createDispatcher(queues: Queues, lifecycle: JobLifecycle): Dispatcher {
  return {
    async dispatch(limit) {
      let batch = await lifecycle.claimDue(limit);
      let total = batch.length;
      for (let batches = 1; batch.length === limit && batches < MAX_BATCHES; batches += 1) {
        // There is more: claims it while the previous batch is being sent.
        const [sent, claimed] = await Promise.allSettled([
          sendAll(queues, lifecycle, batch),
          lifecycle.claimDue(limit),
        ]);
        if (sent.status === 'rejected') {
          if (claimed.status === 'fulfilled') await lifecycle.release(claimed.value);
          throw sent.reason;
        }
        if (claimed.status === 'rejected') throw claimed.reason;
        batch = claimed.value;
        total += batch.length;
      }
      await sendAll(queues, lifecycle, batch);
      return total;
    },

    async reconcile({ everything }) {
      let afterId = 0;
      let lost = 0;
      for (;;) {
        const options = { everything, afterId, limit: RECONCILE_PAGE };
        const page = await lifecycle.findOverdue(options);
        lost += await reconcilePage(queues, lifecycle, page);
        const last = page.at(-1);
        if (!last || page.length < RECONCILE_PAGE) return lost;
        afterId = last.id;
      }
    },
  };
}

/** Sends due rows to BullMQ until stopped. Any number may run: claims skip each other. */
export function startRelay(runtime: WorkerServices, dispatcher: Dispatcher): Loop {
  const { config, log } = runtime;
  return startLoop({
    name: 'relay',
    everyMs: config.outboxPollMs,
    log,
    async pass() {
      // Claiming rows that can't be sent would only churn them.
      if (runtime.redis.status !== 'ready') throw new Error('Redis is away');
      return (await dispatcher.dispatch(CLAIM_SIZE)) >= CLAIM_SIZE;
    },
  });
}

async function sendAll(
  queues: Queues,
  lifecycle: JobLifecycle,
  batch: readonly DispatchedJob[],
): Promise<void> {
  const sent = await Promise.allSettled(
    [...groupBy(batch, (job) => job.queue)].map(([queue, jobs]) =>
      send(queues, lifecycle, queue, jobs),
    ),
  );
  const failed = sent.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Sends jobs. BullMQ's addBulk is not atomic; the job id makes sending a job twice harmless. */
async function send(
  queues: Queues,
  lifecycle: JobLifecycle,
  queue: string,
  jobs: readonly DispatchedJob[],
): Promise<void> {
  if (!isQueueName(queue)) {
    // Written by a newer version; that version's relay will know the queue.
    await Promise.all(
      jobs.map((job) => lifecycle.retry(ticketOf(job), MINUTE, `unknown queue ${queue}`)),
    );
    return;
  }
  try {
    if (isStanding(queue)) await removeEarlier(queues.get(queue), jobs);
    await queues.get(queue).addBulk([...groupBy(jobs, jobIdOf).values()].map(toBullJob));
  } catch (error) {
    await lifecycle.release(jobs);
    throw error;
  }
}

/**
 * Removes the earlier copy of a job that was sent ahead of time and is now sent again because it is due sooner, so that
 * Redis has it only once.
 */
async function removeEarlier(
  queue: ReturnType<Queues['get']>,
  jobs: readonly DispatchedJob[],
): Promise<void> {
  const again = jobs.filter(({ epoch }) => epoch > 1);
  await Promise.all(
    again.map(({ epoch, ...job }) =>
      // A job that is already running has a stale epoch and ends by itself.
      queue.remove(jobIdOf({ ...job, epoch: epoch - 1 })).catch(() => {}),
    ),
  );
}

type Batch = readonly [DispatchedJob, ...DispatchedJob[]];

/** Converts a batch, or a single job, into a BullMQ job. */
function toBullJob(batch: Batch) {
  const [{ name, batchId, epoch, about, waitMs }] = batch;
  const followers = batch.map(({ id }) => id).filter((id) => id !== batchId);
  const data: CarriedJobs = {
    outboxId: batchId,
    epoch,
    ...(followers.length > 0 && { followers }),
    ...(about !== null && { about }),
  };
  return { name, data, opts: { jobId: jobIdOf(batch[0]), ...(waitMs > 0 && { delay: waitMs }) } };
}

async function reconcilePage(
  queues: Queues,
  lifecycle: JobLifecycle,
  page: readonly DispatchedJob[],
): Promise<number> {
  const batches = [...groupBy(page, jobIdOf).values()];
  const states = await Promise.all(batches.map((batch) => stateOf(queues, batch)));
  const having = (state: JobState) => batches.filter((_, index) => states[index] === state).flat();
  const lost = having('lost');
  if (lost.length > 0) await lifecycle.requeue(lost);
  const alive = having('alive');
  if (alive.length > 0) await lifecycle.extend(alive.map(ticketOf));
  for (const job of having('stalled')) {
    await lifecycle.giveUp(ticketOf(job), 'its workers died again and again');
  }
  return lost.length;
}

type JobState = 'alive' | 'lost' | 'stalled';

/**
 * Returns the state, read from the BullMQ job itself: finding its list takes Redis longer the longer the list. Which
 * job of a batch killed its workers is unknown, so its jobs are sent again one by one.
 */
async function stateOf(queues: Queues, [job]: Batch): Promise<JobState> {
  if (!isQueueName(job.queue)) return 'lost';
  const found = await queues.get(job.queue).getJob(jobIdOf(job));
  if (found === undefined) return 'lost';
  if (found.finishedOn === undefined) return 'alive';
  const isBatch = (found.data as CarriedJobs).followers !== undefined;
  return found.failedReason === STALLED && !isBatch ? 'stalled' : 'lost';
}

function groupBy<K>(
  jobs: readonly DispatchedJob[],
  keyOf: (job: DispatchedJob) => K,
): Map<K, [DispatchedJob, ...DispatchedJob[]]> {
  const groups = new Map<K, [DispatchedJob, ...DispatchedJob[]]>();
  for (const job of jobs) {
    const key = keyOf(job);
    const group = groups.get(key);
    if (group) group.push(job);
    else groups.set(key, [job]);
  }
  return groups;
}
