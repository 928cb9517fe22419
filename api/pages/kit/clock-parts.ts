import type { ClockReading } from '../../../shared/operations/sandbox-clock/move-clock.ts';
import { duration, instant } from './format.ts';
import { badge } from './page-parts.ts';

/** What a sandbox clock shows, as the facts of a page. */
export function clockFacts({
  now,
  advancing,
  target,
  aheadMs,
  periodEndsAt,
}: ClockReading): [name: string, value: unknown][] {
  return [
    ['Sandbox time', instant(now)],
    ['Status', advancing ? badge('wait', 'Moving') : badge('good', 'Ready')],
    ['Moving to', advancing && target && instant(target)],
    ['Ahead of real time by', aheadMs > 0 && duration(aheadMs)],
    ['Settlement period ends', instant(periodEndsAt)],
  ];
}
