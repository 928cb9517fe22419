import { type DispatchedJob, jobIdOf, ticketOf } from '../../shared/delivery/jobs/job.ts';
import type { JobLifecycle } from '../../shared/delivery/jobs/job-lifecycle.ts';
import { isQueueName, type QueueName, type Queues } from '../../shared/delivery/jobs/job-queues.ts';
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
    [...groupByQueue(batch)].map(([queue, jobs]) => send(queues, lifecycle, queue, jobs)),
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
    await queues.get(queue).addBulk(
      jobs.map((job) => ({
        name: job.name,
        data: ticketOf(job),
        opts: { jobId: jobIdOf(job) },
      })),
    );
  } catch (error) {
    await lifecycle.release(jobs);
    throw error;
  }
}

async function reconcilePage(
  queues: Queues,
  lifecycle: JobLifecycle,
  page: readonly DispatchedJob[],
): Promise<number> {
  const states = await Promise.all(page.map((job) => stateOf(queues, job)));
  const having = (state: JobState) => page.filter((_, index) => states[index] === state);
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

/** Read from the job itself: asking in which list it stands takes Redis longer, the longer the list. */
async function stateOf(queues: Queues, job: DispatchedJob): Promise<JobState> {
  if (!isQueueName(job.queue)) return 'lost';
  const found = await queues.get(job.queue).getJob(jobIdOf(job));
  if (found === undefined) return 'lost';
  if (found.finishedOn === undefined) return 'alive';
  return found.failedReason === STALLED ? 'stalled' : 'lost';
}

function groupByQueue(jobs: readonly DispatchedJob[]): Map<QueueName, DispatchedJob[]> {
  const groups = new Map<QueueName, DispatchedJob[]>();
  for (const job of jobs) {
    const group = groups.get(job.queue);
    if (group) group.push(job);
    else groups.set(job.queue, [job]);
  }
  return groups;
}
