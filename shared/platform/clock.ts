/** The only source of time. Handed in, so that tests can move it. */
export interface Clock {
  now(): Date;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() };

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** `at` moved by `ms` milliseconds. */
export function addMs(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
