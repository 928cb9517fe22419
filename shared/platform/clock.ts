/** The only source of time. Injected, so that tests can move it. */
export interface Clock {
  now(): Date;
  /** The clock that this clock runs ahead of, if any. */
  readonly real?: Clock;
}

/** Returns the real time, even for a clock that runs ahead of it. */
export function realNow(clock: Clock): Date {
  return (clock.real ?? clock).now();
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() };

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Returns the UTC day of an instant, as `2026-11-21`. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** The units of a span of time and how they are written, the largest first. */
export const TIME_UNITS = [
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
  [SECOND, 's'],
] as const;

/** Returns the instant `days` days before now. */
export function daysAgo(clock: Clock, days: number): Date {
  return addMs(clock.now(), -days * DAY);
}

/** Returns `at` plus `ms` milliseconds. */
export function addMs(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}

const days = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });

/** `Nov 22, 2026`, in UTC. */
export function formatDay(at: Date): string {
  return days.format(at);
}

const instants = new Intl.DateTimeFormat('en-US', {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
  timeZone: 'UTC',
});

/** `Nov 22, 2026, 09:30 UTC`. */
export function formatInstant(at: Date): string {
  return `${instants.format(at)} UTC`;
}
