import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SETTLEMENT_PERIODS } from '../../../shared/people/partners/partner.ts';
import {
  ENDED_PERIODS,
  lastPeriodEnd,
  nextStatementPeriod,
  parseMonth,
  periodContaining,
  runCutoff,
} from '../../../shared/settlement/statements/statement-period.ts';

const at = (text: string) => new Date(text);
const iso = (period: { start: Date; end: Date } | undefined) =>
  period && [period.start.toISOString(), period.end.toISOString()];
const kind = fc.constantFrom(...SETTLEMENT_PERIODS);
const instant = fc
  .integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) })
  .map((ms) => new Date(ms));

describe('calendar periods', () => {
  it.each([
    ['monthly', '2026-11-20T09:30:00Z', '2026-11-01', '2026-12-01'],
    ['monthly', '2026-12-01T00:00:00Z', '2026-12-01', '2027-01-01'],
    ['semi_monthly', '2026-02-15T23:59:59.999Z', '2026-02-01', '2026-02-16'],
    ['semi_monthly', '2026-02-16T00:00:00Z', '2026-02-16', '2026-03-01'],
    ['weekly', '2026-11-22T23:59:59.999Z', '2026-11-16', '2026-11-23'],
    ['weekly', '2026-11-23T00:00:00Z', '2026-11-23', '2026-11-30'],
  ] as const)('%s around %s runs from %s to %s', (period, when, start, end) => {
    expect(periodContaining(period, at(when))).toEqual({ start: at(start), end: at(end) });
  });

  it('follow each other without gap or overlap and contain their instant', () => {
    fc.assert(
      fc.property(kind, instant, (period, when) => {
        const { start, end } = periodContaining(period, when);
        expect(start <= when && when < end).toBe(true);
        expect(periodContaining(period, end).start).toEqual(end);
        expect(periodContaining(period, new Date(end.getTime() - 1))).toEqual({ start, end });
        expect(lastPeriodEnd(period, when)).toEqual(start);
      }),
    );
  });

  it('are parsed only from month names', () => {
    expect(iso(parseMonth('2026-11'))).toEqual([
      '2026-11-01T00:00:00.000Z',
      '2026-12-01T00:00:00.000Z',
    ]);
    const none = ['2026-13', '2026-00', '2026-1', '26-11', '2026-11-01', 'ended', ''];
    for (const name of [...none, '0000-01', '0050-11', '1969-12', '10000-01']) {
      expect(parseMonth(name)).toBeUndefined();
    }
  });
});

describe('the cutoff of a settlement run', () => {
  it('is the requested instant', () => {
    const until = at('2026-11-20T09:30:00Z');
    expect(runCutoff({ period: null, until }, 'monthly')).toEqual(until);
  });

  it('is now while the month is running', () => {
    const until = at('2026-11-20T09:30:00Z');
    expect(runCutoff({ period: '2026-11', until }, 'weekly')).toEqual(until);
  });

  it("is the end of the partner's own last period once the month is over", () => {
    const until = at('2026-12-01T00:00:00Z');
    expect(runCutoff({ period: '2026-11', until }, 'monthly')).toEqual(until);
    expect(runCutoff({ period: '2026-11', until }, 'semi_monthly')).toEqual(until);
    expect(runCutoff({ period: '2026-11', until }, 'weekly')).toEqual(at('2026-11-30'));
  });

  it('never falls into a running period when the schedule asks', () => {
    fc.assert(
      fc.property(kind, instant, (period, until) => {
        const cut = runCutoff({ period: ENDED_PERIODS, until }, period);
        expect(cut <= until).toBe(true);
        expect(periodContaining(period, cut).start).toEqual(cut);
      }),
    );
  });
});

describe('the period of the next statement', () => {
  const base = { kind: 'monthly' as const, newestEnd: null };

  it('is the calendar month in which the work became due', () => {
    const firstWork = at('2026-10-07T12:00:00Z');
    expect(
      iso(nextStatementPeriod({ ...base, firstWork, cut: at('2026-12-01T00:00:00Z') })),
    ).toEqual(['2026-10-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z']);
  });

  it('includes what is due exactly at its end', () => {
    const cut = at('2026-11-01T00:00:00Z');
    expect(iso(nextStatementPeriod({ ...base, firstWork: cut, cut }))).toEqual([
      '2026-10-01T00:00:00.000Z',
      '2026-11-01T00:00:00.000Z',
    ]);
  });

  it('ends at the cutoff in a running month; the rest goes into another statement', () => {
    const firstWork = at('2026-11-07T12:00:00Z');
    const cut = at('2026-11-10T12:00:00Z');
    expect(iso(nextStatementPeriod({ ...base, firstWork, cut }))).toEqual([
      '2026-11-01T00:00:00.000Z',
      '2026-11-10T12:00:00.000Z',
    ]);
    expect(
      iso(
        nextStatementPeriod({
          ...base,
          newestEnd: cut,
          firstWork: at('2026-11-11T00:00:00Z'),
          cut: at('2026-12-01T00:00:00Z'),
        }),
      ),
    ).toEqual(['2026-11-10T12:00:00.000Z', '2026-12-01T00:00:00.000Z']);
  });

  it('moves late work for a closed period to the next one', () => {
    const closed = at('2026-11-01T00:00:00Z');
    const late = { ...base, firstWork: at('2026-10-31T23:59:59Z'), newestEnd: closed };
    expect(nextStatementPeriod({ ...late, cut: closed })).toBeUndefined();
    expect(iso(nextStatementPeriod({ ...late, cut: at('2026-12-01T00:00:00Z') }))).toEqual([
      '2026-11-01T00:00:00.000Z',
      '2026-12-01T00:00:00.000Z',
    ]);
  });

  it('lasts a millisecond when two closes fall on the same instant', () => {
    const cut = at('2026-11-10T12:00:00Z');
    expect(iso(nextStatementPeriod({ ...base, firstWork: cut, newestEnd: cut, cut }))).toEqual([
      '2026-11-10T12:00:00.000Z',
      '2026-11-10T12:00:00.001Z',
    ]);
  });

  it('never overlaps or crosses calendar periods, and contains the work', () => {
    fc.assert(
      fc.property(
        kind,
        fc.array(fc.tuple(instant, instant), { maxLength: 30 }),
        (period, closes) => {
          let newestEnd: Date | null = null;
          for (const [a, b] of closes) {
            const [firstWork, cut] = a <= b ? [a, b] : [b, a];
            const next = nextStatementPeriod({ kind: period, firstWork, newestEnd, cut });
            if (!next) continue;
            const calendar = periodContaining(period, next.start);
            expect(next.start < next.end).toBe(true);
            expect(next.end <= calendar.end).toBe(true);
            expect(newestEnd === null || newestEnd <= next.start).toBe(true);
            expect(firstWork <= next.end).toBe(true);
            newestEnd = next.end;
          }
        },
      ),
    );
  });
});
