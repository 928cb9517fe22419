import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  splitWholeDays,
  type TimeRange,
} from '../../../shared/settlement/reports/transaction.store.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-11-20T00:00:00Z');
const instant = fc
  .integer({ min: 0, max: 5 * 24 })
  .map((hours) => new Date(START + hours * 3_600_000));
const covers = ({ from, to }: TimeRange, at: Date) => (!from || at >= from) && (!to || at < to);

describe('splitting a time range into whole and partial days', () => {
  it('covers every instant of the range exactly once', () => {
    fc.assert(
      fc.property(fc.option(instant), fc.option(instant), instant, (a, b, at) => {
        const [from, to] = a && b && a > b ? [b, a] : [a, b];
        const { days, edges } = splitWholeDays({ from, to });
        const hits = [...(days ? [days] : []), ...edges].filter((part) => covers(part, at));
        expect(hits).toHaveLength(covers({ from, to }, at) ? 1 : 0);
        for (const end of [days?.from, days?.to]) if (end) expect(end.getTime() % DAY).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  it('yields no days after the year 9999', () => {
    const from = new Date('9999-12-31T12:00:00Z');
    const to = new Date('9999-12-31T23:59:59.999Z');
    expect(splitWholeDays({ from, to: null })).toEqual({ days: null, edges: [{ from, to: null }] });
    expect(splitWholeDays({ from, to })).toEqual({ days: null, edges: [{ from, to }] });
    expect(splitWholeDays({ from: null, to }).days?.to).toEqual(new Date('9999-12-31'));
  });

  it('yields no partial days if unbounded or starting and ending at midnight', () => {
    const [from, to] = [new Date('2026-11-01'), new Date('2026-12-01')];
    expect(splitWholeDays({ from, to })).toEqual({ days: { from, to }, edges: [] });
    expect(splitWholeDays({ from: null, to: null })).toEqual({
      days: { from: null, to: null },
      edges: [],
    });
  });
});
