import { describe, expect, it } from '@jest/globals';
import { addMs, DAY, HOUR, MINUTE, SECOND } from '../../../shared/platform/clock.ts';
import type { WorkerServices } from '../../../workers/compose-workers.ts';
import { nextLookAt } from '../../../workers/handlers/ask-registrar.ts';

const NOW = new Date('2026-11-27T12:00:00Z');
const runtime = {
  clock: { now: () => NOW },
  config: { transferPollMs: SECOND, transferPollMaxMs: 10 * MINUTE },
} as unknown as WorkerServices;

describe('a domain whose authorization code was issued', () => {
  it.each([
    ['soon after it was issued', -20 * SECOND, DAY, 2 * SECOND],
    ['less and less often', -HOUR, DAY, 6 * MINUTE],
    ['occasionally after it has been out for days', -3 * DAY, DAY, 10 * MINUTE],
    ['when the code expires', -3 * DAY, 2 * MINUTE, 2 * MINUTE],
    ['as before after the code has expired', -3 * DAY, -MINUTE, 10 * MINUTE],
  ])('is checked %s', (_when, sinceMs, endsMs, waitMs) => {
    const next = nextLookAt(runtime, { since: addMs(NOW, sinceMs), endsAt: addMs(NOW, endsMs) });
    expect(next).toEqual(addMs(NOW, waitMs));
  });
});
