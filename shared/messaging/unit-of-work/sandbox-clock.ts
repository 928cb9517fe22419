import type { Sql } from '../../platform/database/postgres.ts';
import {
  insertClock,
  selectClock,
  selectClockForUpdate,
  selectMoved,
  updateAhead,
  updateArrived,
  updateTarget,
} from './sandbox-clock.store.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** How far a partner has moved the time of its sandbox. It only goes forward. */
export interface SandboxClock {
  /** How far it is ahead of real time, in milliseconds. */
  aheadMs: number;
  /** The target of the latest move, in the partner's time. */
  target: Date | null;
  /** Whether that move is under way. */
  advancing: boolean;
  /** When it was last moved, in real time; null if never. */
  movedAt: Date | null;
}

/** A partner's sandbox clock; one that was never moved shows real time. */
export async function readSandboxClock(sql: Sql, partnerId: string): Promise<SandboxClock> {
  const found = await selectClock.first(sql, { partnerId });
  return found ?? { aheadMs: 0, target: null, advancing: false, movedAt: null };
}

/** The same, locked until the transaction ends; the unit of work switches to its time. */
export async function lockSandboxClock(uow: UnitOfWork, partnerId: string): Promise<SandboxClock> {
  await insertClock.send(uow.pipeline, { partnerId, now: uow.realNow });
  const clock = await selectClockForUpdate.one(uow.sql, { partnerId });
  await uow.enterTimeOf({ partnerId, environment: 'SANDBOX' });
  return clock;
}

/** Begins a move of a locked clock. */
export async function beginMove(uow: UnitOfWork, partnerId: string, target: Date): Promise<void> {
  await updateTarget.send(uow.pipeline, { partnerId, target, now: uow.realNow });
}

/** Moves a locked clock on; the database refuses to take one back. */
export async function setAhead(uow: UnitOfWork, partnerId: string, aheadMs: number): Promise<void> {
  await updateAhead.send(uow.pipeline, { partnerId, aheadMs, now: uow.realNow });
}

/** Ends a move of a locked clock. */
export async function endMove(uow: UnitOfWork, partnerId: string): Promise<void> {
  await updateArrived.send(uow.pipeline, { partnerId, now: uow.realNow });
}

/** The next `limit` partners after `after`, by id, whose clock stands ahead and is not being moved. */
export async function listMovedClocks(sql: Sql, after: string, limit: number): Promise<string[]> {
  const rows = await selectMoved.all(sql, { after, limit });
  return rows.map(({ partnerId }) => partnerId);
}
