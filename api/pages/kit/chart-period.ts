import { Type } from 'typebox';
import type { FigureUnit } from '../../../shared/operations/daily-figures/daily-figures.ts';
import { addMs, DAY, dayOf } from '../../../shared/platform/clock.ts';
import { invalid } from '../../../shared/platform/errors.ts';
import type { Markup } from '../../../shared/platform/html.ts';
import { filterForm, inputField, selectField } from './form.ts';
import { humanize } from './format.ts';
import type { PageNow } from './page-time.ts';

/** A period of days, divided into units: `from` is inclusive, `to` exclusive. */
export interface ChartPeriod {
  from: Date;
  to: Date;
  unit: FigureUnit;
}

const DayField = Type.Optional(Type.String({ format: 'date' }));
const UNIT_DAYS: readonly [FigureUnit, days: number][] = [
  ['day', 1],
  ['week', 7],
  ['month', 30],
];
const UNITS = UNIT_DAYS.map(([unit]) => unit);

/** The query parameters of a page with charts. Days are in UTC; `to` is the last day. */
export const PERIOD_FIELDS = {
  from: DayField,
  to: DayField,
  unit: Type.Optional(Type.Enum(UNITS)),
};

const DEFAULT_DAYS = 30;
/** The longest period that a chart can show and a page can read; of a longer one, only the last days are shown. */
const MAX_DAYS = 3 * 366;
const MAX_POINTS = 62;

/**
 * Reads the period; the last 30 days by default. Uses the requested unit, or the next larger one if that gives too many
 * points.
 * @throws validation_error when it ends before it begins
 */
export function readPeriod(
  given: { from?: string; to?: string; unit?: FigureUnit },
  now: PageNow,
): ChartPeriod {
  const to = addMs(new Date(given.to ?? dayOf(now)), DAY);
  const asked = given.from === undefined ? addMs(to, -DEFAULT_DAYS * DAY) : new Date(given.from);
  if (asked >= to) throw invalid([{ path: '/from', message: 'must not be after to' }]);
  const from = new Date(Math.max(asked.getTime(), addMs(to, -MAX_DAYS * DAY).getTime()));
  const days = (to.getTime() - from.getTime()) / DAY;
  const wanted = UNITS.indexOf(given.unit ?? 'day');
  const fitting = UNIT_DAYS.findIndex(([, size], at) => at >= wanted && days / size <= MAX_POINTS);
  return { from, to, unit: UNITS[fitting] ?? 'month' };
}

/** Returns the form that selects the period; `kept` are hidden fields. */
export function periodForm(
  path: string,
  { from, to, unit }: ChartPeriod,
  kept: Readonly<Record<string, string>>,
): Markup {
  const choices = UNITS.map((value) => ({ value, text: humanize(value) }));
  return filterForm(
    path,
    [
      inputField({
        id: 'period-from',
        name: 'from',
        label: 'From',
        type: 'date',
        value: dayOf(from),
      }),
      inputField({
        id: 'period-to',
        name: 'to',
        label: 'To',
        type: 'date',
        value: dayOf(addMs(to, -DAY)),
      }),
      selectField({ id: 'period-unit', name: 'unit', label: 'By', choices, chosen: unit }),
    ],
    kept,
  );
}

/** Returns the first days of a period's units, as Postgres truncates them: weeks start on Monday. */
export function startsOf({ from, to, unit }: ChartPeriod): Date[] {
  const starts: Date[] = [];
  for (let start = startOf(from, unit); start < to; start = nextStart(start, unit)) {
    starts.push(start);
  }
  return starts;
}

/** Returns the first day of the unit that contains this instant. */
export function startOf(at: Date, unit: FigureUnit): Date {
  if (unit === 'month') return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));
  const day = new Date(dayOf(at));
  return unit === 'day' ? day : addMs(day, -((day.getUTCDay() + 6) % 7) * DAY);
}

function nextStart(start: Date, unit: FigureUnit): Date {
  if (unit !== 'month') return addMs(start, (unit === 'day' ? 1 : 7) * DAY);
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1));
}
