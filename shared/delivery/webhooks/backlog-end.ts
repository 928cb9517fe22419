import { randomFraction } from '../../platform/ids.ts';

/** From which end of an endpoint's backlog a first attempt is taken. */
export const BACKLOG_ENDS = ['oldest', 'newest'] as const;
export type BacklogEnd = (typeof BACKLOG_ENDS)[number];

/**
 * Each as often as the other: what happens now goes out soon, however much waits before it, and what waits gets on
 * all the same.
 */
export function pickBacklogEnd(): BacklogEnd {
  return randomFraction() < 0.5 ? 'oldest' : 'newest';
}
