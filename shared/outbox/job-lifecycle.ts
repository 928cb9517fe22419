import type { Clock } from '../platform/clock.ts';
import { later } from '../platform/clock.ts';
import type { Database, Sql, Tx } from '../platform/db.ts';
import type { DispatchedJob, JobTicket } from './job.ts';
import * as store from './outbox.store.ts';

export type { Backlog, StartedJob } from './outbox.store.ts';

/** What the relay and the workers may do with outbox rows; every step is one conditional statement. */
export interface JobLifecycle {
  claimDue(limit: number): Promise<DispatchedJob[]>;
  release(jobs: readonly DispatchedJob[]): Promise<void>;
  start(ticket: JobTicket): Promise<store.StartedJob | undefined>;
  keepAlive(ticket: JobTicket): Promise<void>;
  /** Marks the work done; pass the transaction that holds the work's own result. */
  finish(sql: Sql | Tx, outboxId: number): Promise<void>;
  retry(ticket: JobTicket, delayMs: number, reason: string): Promise<void>;
  snooze(ticket: JobTicket, until: Date): Promise<void>;
  giveUp(ticket: JobTicket, reason: string): Promise<void>;
  findOverdue(everything: boolean, limit: number): Promise<DispatchedJob[]>;
  requeue(jobs: readonly DispatchedJob[]): Promise<void>;
  prune(before: Date, limit: number): Promise<number>;
  backlog(): Promise<store.Backlog[]>;
}

export function createJobLifecycle(db: Database, clock: Clock, leaseMs: number): JobLifecycle {
  const leaseUntil = () => later(clock.now(), leaseMs);
  return {
    claimDue: (limit) =>
      store.claimDue(db.knex, { now: clock.now(), leaseUntil: leaseUntil(), limit }),
    release: (jobs) =>
      store.release(
        db.knex,
        jobs.map((job) => job.id),
      ),
    start: ({ outboxId, epoch }) =>
      store.startAttempt(db.knex, { id: outboxId, epoch, leaseUntil: leaseUntil() }),
    keepAlive: ({ outboxId, epoch }) => store.extendLease(db.knex, outboxId, epoch, leaseUntil()),
    finish: (sql, outboxId) => store.finish(sql, outboxId, clock.now()),
    retry: ({ outboxId, epoch }, delayMs, reason) =>
      store.postpone(db.knex, {
        id: outboxId,
        epoch,
        runAt: later(clock.now(), delayMs),
        error: reason,
        countAttempt: true,
      }),
    snooze: ({ outboxId, epoch }, until) =>
      store.postpone(db.knex, {
        id: outboxId,
        epoch,
        runAt: until,
        error: null,
        countAttempt: false,
      }),
    giveUp: ({ outboxId, epoch }, reason) => store.bury(db.knex, outboxId, epoch, reason),
    findOverdue: (everything, limit) =>
      store.findOverdue(db.knex, { now: clock.now(), everything, limit }),
    requeue: (jobs) => store.requeue(db.knex, jobs, clock.now()),
    prune: (before, limit) => store.deleteFinished(db.knex, before, limit),
    backlog: () => store.countBacklog(db.knex, clock.now()),
  };
}
