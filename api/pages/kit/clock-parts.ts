import type { ClockReading } from '../../../shared/operations/sandbox-clock/move-clock.ts';
import { MINUTE } from '../../../shared/platform/clock.ts';
import { instant, longDuration } from './format.ts';
import { badge } from './page-parts.ts';

/** Returns the facts of a sandbox clock. */
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
    // A clock moved by seven days is some milliseconds short of them.
    ['Ahead of real time by', aheadMs > 0 && longDuration(Math.round(aheadMs / MINUTE) * MINUTE)],
    ['Settlement period ends', instant(periodEndsAt)],
  ];
}
