import { addMs, type Clock } from '../../platform/clock.ts';
import { batchCalls } from '../../platform/concurrency/call-batcher.ts';
import type { Database } from '../unit-of-work/database.ts';
import type { DispatchedJob, JobReference, UnbegunJob } from './job.ts';
import { isStanding, QUEUE_NAMES } from './job-queues.ts';
import * as store from './outbox.store.ts';

export type { StartedJob } from './outbox.store.ts';

/**
 * The state transitions of an outbox row, for the relay and the workers. Each is one conditional statement; jobs that
 * start or end together share one.
 */
export interface JobLifecycle {
  claimDue(limit: number): Promise<DispatchedJob[]>;
  /** Makes claimed jobs due again. Leaves a job alone that has started meanwhile. */
  release(jobs: readonly UnbegunJob[]): Promise<void>;
  /** Starts the next attempt; returns undefined if the dispatch is stale or the job is done. */
  start(ticket: JobReference): Promise<store.StartedJob | undefined>;
  /** Marks a job as done outside the transaction of its result; does nothing if it is already done. */
  finish(ticket: JobReference): Promise<void>;
  retry(ticket: JobReference, delayMs: number, reason: string): Promise<void>;
  /** Postpones a job whose run succeeded, and resets its attempts. */
  snooze(ticket: JobReference, until: Date): Promise<void>;
  /** Makes an unfinished job due again in `afterMs` milliseconds; the attempt does not count. */
  giveBack(ticket: JobReference, afterMs: number): Promise<void>;
  giveUp(ticket: JobReference, reason: string): Promise<void>;
  /** Returns a page of dispatches with an expired lease, or of all dispatches, after `afterId` in id order. */
  findOverdue(options: FindOverdue): Promise<DispatchedJob[]>;
  /** Extends the lease of jobs that are queued or running. */
  extend(tickets: readonly JobReference[]): Promise<void>;
  requeue(jobs: readonly DispatchedJob[]): Promise<void>;
}

interface FindOverdue {
  everything: boolean;
  afterId: number;
  limit: number;
}

/** How long a claimed job may take to reach Redis before the reconciler sends it again. */
const HANDOVER_MS = 5_000;

/** The maximum number of jobs that start or end in one statement. */
const STATEMENT_SIZE = 500;

/**
 * A backlog is sent in batches of at most `batchSize` jobs. A claim makes `batches` batches of each kind, enough to
 * keep the workers as busy as single jobs would.
 */
const BATCHES = { batches: 64, batchSize: 16 };

const STANDING = QUEUE_NAMES.filter(isStanding);

export function createJobLifecycle(db: Database, clock: Clock, leaseMs: number): JobLifecycle {
  const leaseUntil = () => addMs(clock.now(), leaseMs);
  const handoverUntil = () => addMs(clock.now(), Math.min(leaseMs, HANDOVER_MS));
  const start = batchCalls(async (tickets: readonly JobReference[]) => {
    const rows = await store.start(db.indexed, tickets, leaseUntil());
    const now = clock.now();
    const early = rows.filter(({ runAt }) => runAt > now).map(({ id }) => id);
    if (early.length > 0) await store.updateBegunEarly.run(db.knex, { ids: early, now });
    const started = new Map(rows.map((row) => [row.id, row]));
    return tickets.map((ticket) => {
      const row = started.get(ticket.outboxId);
      if (row?.epoch !== ticket.epoch) return undefined;
      // Starting the same dispatch twice would run the job twice concurrently.
      started.delete(ticket.outboxId);
      return row;
    });
  }, STATEMENT_SIZE);
  const finish = batchCalls(async (ids: readonly number[]) => {
    const inOrder = [...ids].sort((one, other) => one - other);
    await store.updateAllDone.run(db.indexed, { ids: inOrder, now: clock.now() });
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
      store.updateClaimed.all(db.indexed, {
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
