import type { Clock } from '../../platform/clock.ts';
import type { Pipeline } from '../../platform/database/pipeline.ts';
import type { Postgres, Tx } from '../../platform/database/postgres.ts';
import type { OnEventFault } from '../event-types/event-schema.ts';
import type { RunningJob } from '../jobs/job.ts';
import { asFailureOfJob } from '../jobs/record-jobs.ts';
import type { MailPolicy } from '../mail/record-mails.ts';
import type { TimeOwner } from './partner-time.ts';
import { OpenUnitOfWork, type UnitOfWork } from './unit-of-work.ts';

/** Postgres, whose transactions are units of work. */
export interface Database extends Omit<Postgres, 'transaction' | 'transactionFor'> {
  /**
   * Runs `work` in one transaction, and commits its writes and everything it added to its unit of work. After a
   * deadlock or a serialization failure, `work` runs again with a new unit of work.
   */
  transact<T>(work: (uow: UnitOfWork) => Promise<T>): Promise<T>;
  /**
   * Like {@link transact}, for a request of one partner, user or buyer (`whom`, an id). This process runs only a few
   * transactions of each at once, so that one caller's locked rows never take all connections; the others wait.
   * @throws rate_limited if too many are waiting, service_unavailable if the wait is too long
   */
  transactFor<T>(whom: string, work: (uow: UnitOfWork) => Promise<T>): Promise<T>;
  /** Returns this database with the owner's clock: its units of work start `aheadMs` ahead of real time. */
  inTime(owner: TimeOwner, aheadMs: number): Database;
}

/** The result of a unit of work, and what to do after its commit. */
interface Written<T> {
  result: T;
  wakes: ReadonlySet<string>;
  finished: readonly RunningJob[];
}

/**
 * Creates the database of a process. `mailPolicy` decides which mails its units of work write. `onEventFault` handles
 * events that violate their schema; without it, they throw.
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
