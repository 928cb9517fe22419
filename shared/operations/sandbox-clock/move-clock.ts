import type { Database } from '../../messaging/unit-of-work/database.ts';
import {
  beginMove,
  lockSandboxClock,
  readSandboxClock,
  type SandboxClock,
} from '../../messaging/unit-of-work/sandbox-clock.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import type { Partner } from '../../people/partners/partner.ts';
import { addMs, type Clock, DAY, HOUR, MINUTE, realNow, SECOND } from '../../platform/clock.ts';
import { conflict, invalid } from '../../platform/errors.ts';
import { readPeriodEnd } from '../../settlement/statements/run-settlements.ts';
import { periodContaining } from '../../settlement/statements/statement-period.ts';
import { advanceClockJob } from './sandbox-clock.jobs.ts';

/** The maximum that a sandbox may be ahead of real time: two years. */
export const MAX_AHEAD_MS = 731 * DAY;

/** A partner's sandbox clock for display. */
export interface ClockReading extends SandboxClock {
  /** The current time in the sandbox. */
  now: Date;
  /** When the current settlement period ends. */
  periodEndsAt: Date;
}

/** Returns the time in a partner's sandbox, and the target of its clock. */
export async function readClock(
  { db, clock }: { db: Database; clock: Clock },
  partnerId: string,
): Promise<ClockReading> {
  const found = await readSandboxClock(db.knex, partnerId);
  const now = addMs(realNow(clock), found.aheadMs);
  return { ...found, now, periodEndsAt: await readPeriodEnd(db.knex, partnerId, now) };
}

/** Like {@link readClock}, for a partner that was already read. */
export async function readClockOf(
  { db, clock }: { db: Database; clock: Clock },
  { id, settlementPeriod }: Pick<Partner, 'id' | 'settlementPeriod'>,
): Promise<ClockReading> {
  const found = await readSandboxClock(db.knex, id);
  const now = addMs(realNow(clock), found.aheadMs);
  return { ...found, now, periodEndsAt: periodContaining(settlementPeriod, now).end };
}

/** A move of the clock: to an instant, or by a duration in milliseconds. */
export type ClockMove = { to: Date } | { byMs: number };

const SPAN = /^([1-9]\d{0,4})([smhd])$/;
const UNIT_MS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

/** A move as people write it: `by` a span such as `90s`, `30m`, `1h` or `7d`, or `to` an instant. @throws validation_error */
export function parseMove({
  to,
  by,
}: {
  to?: string | undefined;
  by?: string | undefined;
}): ClockMove {
  if ((to === undefined) === (by === undefined)) {
    throw invalid([{ path: '/to', message: 'or /by is required, and not both' }]);
  }
  if (by !== undefined) {
    const [, count, unit = ''] = SPAN.exec(by) ?? [];
    const byMs = Number(count) * (UNIT_MS[unit] ?? 0);
    if (count === undefined)
      throw invalid([{ path: '/by', message: 'must be like 30m, 1h or 7d' }]);
    return { byMs };
  }
  const at = new Date(to ?? '');
  if (Number.isNaN(at.getTime())) throw invalid([{ path: '/to', message: 'must be an instant' }]);
  return { to: at };
}

/**
 * Requests a move of a partner's sandbox clock; a worker makes it, one due step after another. Moving to the target of
 * the last move changes nothing.
 * @throws validation_error if the instant is past or too far ahead, conflict (`invalid_state`) while another move is
 *   in progress
 */
export async function moveClock(
  uow: UnitOfWork,
  actor: string,
  partnerId: string,
  move: ClockMove,
): Promise<ClockReading> {
  const clock = await lockSandboxClock(uow, partnerId);
  const { now, realNow: real } = uow;
  const [field, target] =
    'to' in move ? ['/to', move.to] : (['/by', addMs(now, move.byMs)] as const);
  const periodEndsAt = await readPeriodEnd(uow.sql, partnerId, now);
  if ('to' in move && clock.target?.getTime() === target.getTime()) {
    return { ...clock, now, periodEndsAt };
  }
  if (clock.advancing) {
    throw conflict(
      'invalid_state',
      `The clock is being moved to ${clock.target?.toISOString()}. Try again when it is ready.`,
    );
  }
  const refuse = (message: string) => invalid([{ path: field, message }]);
  if (target > addMs(real, MAX_AHEAD_MS)) {
    throw refuse('must lead at most 731 days ahead of real time');
  }
  if (target <= now) {
    throw refuse(`must be after ${now.toISOString()}: the clock goes forward only`);
  }
  await beginMove(uow, partnerId, target);
  const to = target.toISOString();
  uow.jobs.add(advanceClockJob, { partnerId, target: to });
  await recordAudit(uow, {
    actor,
    action: 'sandbox:move-clock',
    subject: partnerId,
    after: { to },
  });
  return { ...clock, now, periodEndsAt, target, advancing: true };
}
