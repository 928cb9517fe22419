import { addMs, type Clock } from '../../platform/clock.ts';
import { batchCalls } from '../../platform/concurrency/call-batcher.ts';
import type { Database } from '../unit-of-work/database.ts';
import type { DispatchedJob, JobReference, UnbegunJob } from './job.ts';
import { isStanding, QUEUE_NAMES } from './job-queues.ts';
import * as store from './outbox.store.ts';

export type { StartedJob } from './outbox.store.ts';

/**
 * What the relay and the workers may do with outbox rows; every step is one conditional statement. Jobs that begin or
 * end together share one.
 */
export interface JobLifecycle {
  claimDue(limit: number): Promise<DispatchedJob[]>;
  /** Makes claims due again that have not begun; one that has all the same is left as it is. */
  release(jobs: readonly UnbegunJob[]): Promise<void>;
  /** Begins the next attempt; undefined when the dispatch is stale, or the job done. */
  start(ticket: JobReference): Promise<store.StartedJob | undefined>;
  /** Marks the work done, apart from its result; nothing happens when it was done already. */
  finish(ticket: JobReference): Promise<void>;
  retry(ticket: JobReference, delayMs: number, reason: string): Promise<void>;
  /** Puts a job off whose run went well: all its attempts are ahead of it again. */
  snooze(ticket: JobReference, until: Date): Promise<void>;
  /** Makes a job due again, in `afterMs`, that was not finished here; the attempt does not count. */
  giveBack(ticket: JobReference, afterMs: number): Promise<void>;
  giveUp(ticket: JobReference, reason: string): Promise<void>;
  /** Dispatches past their lease, or all; by id, after `afterId`. */
  findOverdue(options: FindOverdue): Promise<DispatchedJob[]>;
  /** Puts off the lease of what is on its way or at work. */
  extend(tickets: readonly JobReference[]): Promise<void>;
  requeue(jobs: readonly DispatchedJob[]): Promise<void>;
}

interface FindOverdue {
  everything: boolean;
  afterId: number;
  limit: number;
}

/** How long the way from the claim into Redis may take before somebody looks after the job. */
const HANDOVER_MS = 5_000;

/** How many jobs begin or end in one statement at most. */
const STATEMENT_SIZE = 500;

/**
 * A backlog travels in batches, of so many jobs at most. A claim makes so many of each kind that they keep the workers
 * as busy as single jobs would.
 */
const BATCHES = { batches: 64, batchSize: 16 };

const STANDING = QUEUE_NAMES.filter(isStanding);

export function createJobLifecycle(db: Database, clock: Clock, leaseMs: number): JobLifecycle {
  const leaseUntil = () => addMs(clock.now(), leaseMs);
  const handoverUntil = () => addMs(clock.now(), Math.min(leaseMs, HANDOVER_MS));
  const start = batchCalls(async (tickets: readonly JobReference[]) => {
    const rows = await store.start(db.knex, tickets, leaseUntil());
    const now = clock.now();
    const early = rows.filter(({ runAt }) => runAt > now).map(({ id }) => id);
    if (early.length > 0) await store.updateBegunEarly.run(db.knex, { ids: early, now });
    const started = new Map(rows.map((row) => [row.id, row]));
    return tickets.map((ticket) => {
      const row = started.get(ticket.outboxId);
      if (row?.epoch !== ticket.epoch) return undefined;
      // The same dispatch a second time would run beside itself.
      started.delete(ticket.outboxId);
      return row;
    });
  }, STATEMENT_SIZE);
  const finish = batchCalls(async (ids: readonly number[]) => {
    const inOrder = [...ids].sort((one, other) => one - other);
    await store.updateAllDone.run(db.knex, { ids: inOrder, now: clock.now() });
    return ids;
  }, STATEMENT_SIZE);
  const postpone = async (
    { outboxId: id, epoch }: JobReference,
    to: Omit<Parameters<typeof store.updatePostponed.run>[1], 'id' | 'epoch'>,
  ) => {
    await store.updatePostponed.run(db.knex, { id, epoch, ...to });
  };
  return {
    claimDue: (limit) =>
      store.updateClaimed.all(db.knex, {
        now: clock.now(),
        leaseUntil: handoverUntil(),
        limit,
        ...BATCHES,
        standing: STANDING,
      }),
    release: (jobs) => store.release(db.knex, jobs),
    start,
    finish: async ({ outboxId }) => void (await finish(outboxId)),
    retry: (ticket, delayMs, error) =>
      postpone(ticket, { runAt: addMs(clock.now(), delayMs), error, attempts: 'keep' }),
    snooze: (ticket, runAt) => postpone(ticket, { runAt, error: null, attempts: 'reset' }),
    giveBack: (ticket, afterMs) =>
      postpone(ticket, { runAt: addMs(clock.now(), afterMs), error: null, attempts: 'uncount' }),
    giveUp: async ({ outboxId, epoch }, reason) => {
      await store.updateDead.run(db.knex, { id: outboxId, epoch, error: reason });
    },
    findOverdue: (options) =>
      store.selectOverdue.all(db.knex, { ...options, standing: STANDING, now: clock.now() }),
    extend: (tickets) => store.extendLeases(db.knex, tickets, leaseUntil()),
    requeue: (jobs) => store.requeue(db.knex, jobs),
  };
}
