import type { SettlementPeriod } from '../../people/partners/partner.ts';
import { DAY } from '../../platform/clock.ts';

/** A stretch of time; every boundary of the calendar is midnight UTC. */
export interface Period {
  start: Date;
  end: Date;
}

const DAYS_A_WEEK = 7;
/** 5 January 1970, the first Monday that Unix time knows. */
const FIRST_MONDAY_MS = 4 * DAY;
/** Years 1970 to 9999; `Date.UTC` reads years below 100 as 1900 and later. */
const MONTH_NAME = /^(19[7-9]\d|[2-9]\d{3})-(0[1-9]|1[0-2])$/;

/**
 * The calendar period around an instant, its start included and its end not: a month, the 1st to the
 * 15th or the 16th to the end of a month, or a week from Monday.
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

/** The newest end of a calendar period at or before `at`. */
export function lastPeriodEnd(kind: SettlementPeriod, at: Date): Date {
  return periodContaining(kind, at).start;
}

/** The month that `2026-11` names, or undefined when it names none. */
export function parseMonth(name: string): Period | undefined {
  const match = MONTH_NAME.exec(name);
  if (!match) return undefined;
  return periodContaining('monthly', new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, 1)));
}

/** The name that a scheduled run carries instead of a month. */
export const ENDED_PERIODS = 'ended';

/**
 * Up to which instant a run closes a partner's periods. A run for a month that is over, or for whatever
 * has ended, stops at the end of the partner's own last period in it; any other run stops where it says.
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
 * The period of a partner's next statement, or undefined when the work has to wait for a later close.
 * Statements of a partner never overlap: one starts at its calendar period's start or, when a part of
 * that was closed by hand, where the newest statement ended.
 * @param firstWork the earliest instant at which something became due for a statement
 * @param newestEnd the end of the newest statement, null without one
 * @param cut the instant up to which is closed; not before `firstWork`
 */
export function nextStatementPeriod(options: {
  kind: SettlementPeriod;
  firstWork: Date;
  newestEnd: Date | null;
  cut: Date;
}): Period | undefined {
  const { kind, newestEnd, cut } = options;
  // What is due exactly at a boundary belongs to the period that ends there, hence the millisecond.
  const due = Math.max(options.firstWork.getTime() - 1, newestEnd?.getTime() ?? -Infinity);
  const calendar = periodContaining(kind, new Date(due));
  if (calendar.start >= cut) return undefined;
  const start = Math.max(calendar.start.getTime(), newestEnd?.getTime() ?? -Infinity);
  // Two closes at one instant: the second one's statement lasts a millisecond, none lasts nothing.
  const end = Math.min(calendar.end.getTime(), Math.max(cut.getTime(), start + 1));
  return { start: new Date(start), end: new Date(end) };
}
