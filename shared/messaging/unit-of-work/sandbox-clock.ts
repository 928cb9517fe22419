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

/** A partner's sandbox clock. It only moves forward. */
export interface SandboxClock {
  /** How far the clock is ahead of real time, in milliseconds. */
  aheadMs: number;
  /** The target of the latest move, in the partner's time. */
  target: Date | null;
  /** Whether the latest move is still in progress. */
  advancing: boolean;
  /** When the clock was last moved, in real time; null if never. */
  movedAt: Date | null;
}

/** Returns a partner's sandbox clock; a clock that was never moved shows real time. */
export async function readSandboxClock(sql: Sql, partnerId: string): Promise<SandboxClock> {
  const found = await selectClock.first(sql, { partnerId });
  return found ?? { aheadMs: 0, target: null, advancing: false, movedAt: null };
}

/** Like {@link readSandboxClock}, but locks the clock until the transaction ends, and enters the partner's time. */
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

/** Moves a locked clock ahead; the database rejects moving it back. */
export async function setAhead(uow: UnitOfWork, partnerId: string, aheadMs: number): Promise<void> {
  await updateAhead.send(uow.pipeline, { partnerId, aheadMs, now: uow.realNow });
}

/** Ends a move of a locked clock. */
export async function endMove(uow: UnitOfWork, partnerId: string): Promise<void> {
  await updateArrived.send(uow.pipeline, { partnerId, now: uow.realNow });
}

/** Returns the next `limit` partners after `after`, by id, whose clock is ahead and not being moved. */
export async function listMovedClocks(sql: Sql, after: string, limit: number): Promise<string[]> {
  const rows = await selectMoved.all(sql, { after, limit });
  return rows.map(({ partnerId }) => partnerId);
}
