import type { Postgres } from '../../platform/database/postgres.ts';
import type { TimeOwner } from './partner-time.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Postgres, whose transactions are units of work (`createDatabase` in `unit-of-work.ts`). */
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
