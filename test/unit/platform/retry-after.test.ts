import { describe, expect, it } from '@jest/globals';
import { retryAfterMs } from '../../../shared/platform/outbound/retry-after.ts';

const now = new Date('2026-03-01T12:00:00Z');

describe('parsing Retry-After', () => {
  it.each([
    ['120', 120_000],
    [' 120 ', 120_000],
    ['Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
    ['Sunday, 01-Mar-26 12:00:30 GMT', 30_000],
    ['Sun Mar  1 12:00:30 2026', 30_000],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
  ])('reads %j', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });

  it.each([
    undefined,
    '',
    '-5',
    '1.5',
    '1e3',
    '0x10',
    'soon',
    '5 seconds',
    '2026-03-01T12:00:30Z',
    'Sun, 01 Foo 2026 12:00:30 GMT',
  ])('returns null for %j', (header) => {
    expect(retryAfterMs(header, now)).toBeNull();
  });
});
