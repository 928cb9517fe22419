import {
  type CarriedJobs,
  type DispatchedJob,
  jobIdOf,
  ticketOf,
} from '../../shared/delivery/jobs/job.ts';
import type { JobLifecycle } from '../../shared/delivery/jobs/job-lifecycle.ts';
import { isQueueName, type Queues } from '../../shared/delivery/jobs/job-queues.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import type { DispatchSource } from './relay.ts';

const RECONCILE_PAGE = 500;
/** Batches that are taken one after the other before the relay looks at its other sources again. */
const MAX_BATCHES = 20;
/** BullMQ's reason for a job whose workers died again and again. */
const STALLED = 'job stalled more than allowable limit';

/** The outbox as a source of the relay. */
export function createOutboxSource(queues: Queues, lifecycle: JobLifecycle): DispatchSource {
  return {
    name: 'outbox',

    async dispatch(limit) {
      let batch = await lifecycle.claimDue(limit);
      let total = batch.length;
      for (let batches = 1; batch.length === limit && batches < MAX_BATCHES; batches += 1) {
        // There is more: it is claimed while the batch before is on its way.
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

    async reconcile({ wiped }) {
      let afterId = 0;
      let lost = 0;
      for (;;) {
        const options = { everything: wiped, afterId, limit: RECONCILE_PAGE };
        const page = await lifecycle.findOverdue(options);
        lost += await reconcilePage(queues, lifecycle, page);
        const last = page.at(-1);
        if (!last || page.length < RECONCILE_PAGE) return lost;
        afterId = last.id;
      }
    },
  };
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

/** BullMQ's addBulk is not all-or-none; the job id makes sending a job twice harmless. */
async function send(
  queues: Queues,
  lifecycle: JobLifecycle,
  queue: string,
  jobs: readonly DispatchedJob[],
): Promise<void> {
  if (!isQueueName(queue)) {
    // Written by a newer version; a relay of that version will know the queue.
    await Promise.all(
      jobs.map((job) => lifecycle.retry(ticketOf(job), MINUTE, `unknown queue ${queue}`)),
    );
    return;
  }
  try {
    await queues.get(queue).addBulk([...groupBy(jobs, jobIdOf).values()].map(toBullJob));
  } catch (error) {
    await lifecycle.release(jobs);
    throw error;
  }
}

type Batch = readonly [DispatchedJob, ...DispatchedJob[]];

/** The BullMQ job of a batch; a job alone is one, too. */
function toBullJob(batch: Batch) {
  const [{ name, batchId, epoch }] = batch;
  const followers = batch.map(({ id }) => id).filter((id) => id !== batchId);
  const data: CarriedJobs = {
    outboxId: batchId,
    epoch,
    ...(followers.length > 0 && { followers }),
  };
  return { name, data, opts: { jobId: jobIdOf(batch[0]) } };
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
 * Read from the BullMQ job itself: asking in which list it stands takes Redis longer, the longer the list. Which job of
 * a batch ended its workers is not known: they are sent again, each alone.
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
