import type { SettlementPeriod } from '../../people/partners/partner.ts';
import { DAY } from '../../platform/clock.ts';

/** A period of time; every calendar boundary is midnight UTC. */
export interface Period {
  start: Date;
  end: Date;
}

const DAYS_A_WEEK = 7;
/** January 5, 1970, the first Monday in Unix time. */
const FIRST_MONDAY_MS = 4 * DAY;
/** Years 1970 to 9999; `Date.UTC` maps years below 100 to 1900 and later. */
const MONTH_NAME = /^(19[7-9]\d|[2-9]\d{3})-(0[1-9]|1[0-2])$/;

/**
 * Returns the calendar period that contains an instant, with an inclusive start and an exclusive end: a month, the 1st
 * to the 15th or the 16th to the end of a month, or a week from Monday.
 */
export function periodContaining(kind: SettlementPeriod, at: Date): Period {
  if (kind === 'weekly') {
    const weeks = Math.floor((at.getTime() - FIRST_MONDAY_MS) / (DAYS_A_WEEK * DAY));
    const start = FIRST_MONDAY_MS + weeks * DAYS_A_WEEK * DAY;
    return { start: new Date(start), end: new Date(start + DAYS_A_WEEK * DAY) };
  }
  const year = at.getUTCFullYear();
  const month = at.getUTCMonth();
  const first = new Date(Date.UTC(year, month, 1));
  const next = new Date(Date.UTC(year, month + 1, 1));
  if (kind === 'monthly') return { start: first, end: next };
  const middle = new Date(Date.UTC(year, month, 16));
  return at < middle ? { start: first, end: middle } : { start: middle, end: next };
}

/** Returns the latest end of a calendar period at or before `at`. */
export function lastPeriodEnd(kind: SettlementPeriod, at: Date): Date {
  return periodContaining(kind, at).start;
}

/** Parses a month such as `2026-11`; undefined if it is not valid. */
export function parseMonth(name: string): Period | undefined {
  const match = MONTH_NAME.exec(name);
  if (!match) return undefined;
  return periodContaining('monthly', new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, 1)));
}

/** The `period` of a scheduled run, instead of a month. */
export const ENDED_PERIODS = 'ended';

/**
 * Returns the instant up to which a run closes a partner's periods. A run for a past month, or for ended
 * periods, stops at the end of the partner's last period in it; any other run stops at its own instant.
 */
export function runCutoff(
  run: { period: string | null; until: Date },
  kind: SettlementPeriod,
): Date {
  if (run.period === null) return run.until;
  const month = parseMonth(run.period);
  const stillRunning = month !== undefined && run.until < month.end;
  return stillRunning ? run.until : lastPeriodEnd(kind, run.until);
}

/**
 * Returns the period of a partner's next statement, or undefined if the work must wait for a later close.
 * A partner's statements never overlap: one starts at its calendar period's start or, if part of the period
 * was closed by hand, where the newest statement ended.
 * @param firstWork the earliest instant at which something became due for a statement
 * @param newestEnd the end of the newest statement; null if there is none
 * @param cut the instant up to which to close; not before `firstWork`
 */
export function nextStatementPeriod(options: {
  kind: SettlementPeriod;
  firstWork: Date;
  newestEnd: Date | null;
  cut: Date;
}): Period | undefined {
  const { kind, newestEnd, cut } = options;
  // Work due exactly at a boundary belongs to the period that ends there, hence the millisecond.
  const due = Math.max(options.firstWork.getTime() - 1, newestEnd?.getTime() ?? -Infinity);
  const calendar = periodContaining(kind, new Date(due));
  if (calendar.start >= cut) return undefined;
  const start = Math.max(calendar.start.getTime(), newestEnd?.getTime() ?? -Infinity);
  // With two closes at one instant, the second statement lasts a millisecond; no statement has zero length.
  const end = Math.min(calendar.end.getTime(), Math.max(cut.getTime(), start + 1));
  return { start: new Date(start), end: new Date(end) };
}
