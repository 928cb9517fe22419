import { DAY } from '../platform/clock.ts';

/** A stretch of time; an end is exclusive, null is open. */
export interface TimeRange {
  from: Date | null;
  to: Date | null;
}

/** A stretch as the whole UTC days in it, and what is left of days at its two ends. */
export interface SplitRange {
  /** Null when no whole day is in it. */
  days: TimeRange | null;
  edges: TimeRange[];
}

/** The last day of the year 9999: a date after it has five digits for its year. */
const LAST_DAY = new Date('9999-12-31');

/** Splits a stretch of time, so that its whole days can be read from tallies and only its ends from rows. */
export function splitWholeDays({ from, to }: TimeRange): SplitRange {
  const first = from && new Date(Math.ceil(from.getTime() / DAY) * DAY);
  const last = to && new Date(Math.floor(to.getTime() / DAY) * DAY);
  if ((first && last && first >= last) || (first && first > LAST_DAY)) {
    // Less than a day, two parts of days that meet, or the last day there is.
    return { days: null, edges: [{ from, to }] };
  }
  const edges: TimeRange[] = [];
  if (from && first && from < first) edges.push({ from, to: first });
  if (to && last && last < to) edges.push({ from: last, to });
  return { days: { from: first, to: last }, edges };
}
