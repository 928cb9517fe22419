import type { Clock } from '../../platform/clock.ts';
import type { Pipeline } from '../../platform/database/pipeline.ts';
import type { Postgres, Tx } from '../../platform/database/postgres.ts';
import type { OnEventFault } from '../event-types/event-schema.ts';
import type { RunningJob } from '../jobs/job.ts';
import { asFailureOfJob } from '../jobs/record-jobs.ts';
import type { MailPolicy } from '../mail/record-mails.ts';
import type { TimeOwner } from './partner-time.ts';
import { OpenUnitOfWork, type UnitOfWork } from './unit-of-work.ts';

/** Postgres, with transactions as units of work. */
export interface Database extends Omit<Postgres, 'transaction' | 'transactionFor'> {
  /**
   * Runs `work` in one transaction and commits what it did and what it added to its unit. After a deadlock or a
   * serialization failure `work` runs again, with a new unit.
   */
  transact<T>(work: (uow: UnitOfWork) => Promise<T>): Promise<T>;
  /**
   * The same for a request of one partner, user or buyer (an id). Only a few transactions of each run at once in this
   * process, so that locked rows of one never take all connections; the others wait. @throws rate_limited when too many
   * wait already, service_unavailable when the wait is too long
   */
  transactFor<T>(whom: string, work: (uow: UnitOfWork) => Promise<T>): Promise<T>;
  /** The same database with the owner's clock: its units of work begin `aheadMs` ahead of real time. */
  inTime(owner: TimeOwner, aheadMs: number): Database;
}

/** What a unit of work came to, and what follows its commit. */
interface Written<T> {
  result: T;
  wakes: ReadonlySet<string>;
  finished: readonly RunningJob[];
}

/**
 * The database of a process. `mailPolicy` says which mails its units of work write; `onEventFault` decides about
 * events that their schema refuses, which throw without it.
 */
export function createDatabase(
  postgres: Postgres,
  clock: Clock,
  mailPolicy: MailPolicy,
  onEventFault?: OnEventFault,
): Database {
  const { transaction, transactionFor, ...rest } = postgres;
  const committed = <T>({ result, wakes, finished }: Written<T>): T => {
    for (const job of finished) job.isDone = true;
    if (wakes.size > 0) postgres.wakeWorkers(wakes);
    return result;
  };
  const failed = (error: unknown): never => {
    throw asFailureOfJob(error);
  };
  const beginningIn = (time: { owner: TimeOwner; aheadMs: number } | undefined): Database => {
    const inUnit =
      <T>(work: (uow: UnitOfWork) => Promise<T>) =>
      async (_tx: Tx, pipeline: Pipeline) => {
        const unit = new OpenUnitOfWork(pipeline, clock.now(), mailPolicy, onEventFault, time);
        const result = await work(unit);
        return { result, ...(await unit.write()) };
      };
    return {
      ...rest,
      transact: (work) => transaction(inUnit(work)).then(committed, failed),
      transactFor: (whom, work) => transactionFor(whom, inUnit(work)).then(committed, failed),
      inTime: (owner, aheadMs) => beginningIn({ owner, aheadMs }),
    };
  };
  return beginningIn(undefined);
}
