import { describe, expect, it } from '@jest/globals';
import { deriveIncidents } from '../../shared/operations/status-history/status-rule.ts';
import { addMs, MINUTE } from '../../shared/platform/clock.ts';

const START = new Date('2026-11-24T10:00:00Z');
const minute = (nth: number) => addMs(START, nth * MINUTE);
/** One probe per minute: `+` succeeds, `-` fails, and a space means no probe. */
const probesOf = (text: string) =>
  [...text].flatMap((mark, nth) => (mark === ' ' ? [] : [{ at: minute(nth), ok: mark === '+' }]));
const incidents = (text: string, open: number | null = null) =>
  deriveIncidents(probesOf(text), open === null ? null : minute(open)).map(
    ({ startedAt, endedAt }) =>
      [startedAt, endedAt].map((at) => at && (at.getTime() - START.getTime()) / MINUTE),
  );

describe('incidents derived from status checks', () => {
  it.each([
    ['', []],
    ['++++', []],
    ['+--+--+', []],
    ['+---', [[1, null]]],
    ['+---++', [[1, null]]],
    ['+---+++', [[1, 4]]],
    ['---++-+++', [[0, 6]]],
    [
      '---+++---+++',
      [
        [0, 3],
        [6, 9],
      ],
    ],
    ['-  - -++', [[0, null]]],
    ['-  - -+ +  +', [[0, 6]]],
  ])('for “%s” are %j', (text, expected) => {
    expect(incidents(text)).toEqual(expected);
  });

  it('continue an incident that was open before', () => {
    expect(incidents('--', -5)).toEqual([[-5, null]]);
    expect(incidents('-+++', -5)).toEqual([[-5, 1]]);
  });
});
