import type {
  FigureRow,
  FigureUnit,
} from '../../../shared/operations/daily-figures/daily-figures.ts';
import { dayOf, formatDay } from '../../../shared/platform/clock.ts';
import { currencyFormat } from '../../../shared/platform/currencies.ts';
import { decimalAmount, formatMoney, Money } from '../../../shared/platform/money.ts';
import type { Chart } from './chart.ts';
import { type ChartPeriod, startsOf } from './chart-period.ts';

/** A chart whose points are the units of a period. */
export type PeriodChart = Omit<Chart, 'points'>;

/** The names of a period's units in a sentence. */
export const EACH: Readonly<Record<FigureUnit, string>> = {
  day: 'each day',
  week: 'each week',
  month: 'each month',
};

/** Returns the points of a chart over a period. */
export function pointsOf(period: ChartPeriod): Chart['points'] {
  return startsOf(period).map((start) => ({
    label: labelOf(start, period.unit),
    tick: tickOf(start, period.unit),
  }));
}

/** Returns a chart of counts, as bars. */
export function countChart<Figure extends string>(
  read: FigureReader<Figure>,
  figure: Figure,
  chart: { title: string; text: string; empty: string; name?: string },
): PeriodChart {
  const { name = chart.title, ...words } = chart;
  return {
    ...words,
    kind: 'bars',
    whole: true,
    total: formatCount(read.total(figure)),
    series: [{ name, values: read.sums(figure) }],
    format: formatCount,
  };
}

/** Returns the formats for amounts of a currency beside a chart. */
export function moneyAxis(currency: string): Pick<Chart, 'format' | 'formatTick'> {
  return {
    format: (cents) => formatMoney(new Money(Math.round(cents), currency)),
    formatTick: (cents) => compactMoney(cents, currency),
  };
}

/** Returns the chart of sales prices in a currency. */
export function salesChart(
  read: FigureReader<'gmv'>,
  currency: string,
  unit: FigureUnit,
): PeriodChart {
  const axis = moneyAxis(currency);
  return {
    title: `Sales in ${currency}`,
    text: `Prices of the orders recorded ${EACH[unit]}.`,
    kind: 'bars',
    total: axis.format(read.total('gmv', currency)),
    series: [{ name: 'Sales', values: read.sums('gmv', currency) }],
    ...axis,
    empty: 'No sales in this period.',
  };
}

/** Returns the chart of the share of successful webhook deliveries. */
export function webhookChart(
  read: FigureReader<'webhooks_delivered' | 'webhooks_failed'>,
  unit: FigureUnit,
): PeriodChart {
  const delivered = read.sums('webhooks_delivered');
  const failed = read.sums('webhooks_failed');
  return {
    ...shareChart(
      delivered.map((good, at) => ({ part: good ?? 0, whole: (good ?? 0) + (failed[at] ?? 0) })),
    ),
    title: 'Webhook success',
    text: `Share of finished deliveries that succeeded, ${EACH[unit]}.`,
    atLeast: 100,
    columns: [
      { name: 'Delivered', values: delivered.map((good) => formatCount(good ?? 0)) },
      { name: 'Failed', values: failed.map((bad) => formatCount(bad ?? 0)) },
    ],
    empty: 'No webhook was delivered in this period.',
  };
}

/** Returns the chart of conversion: how many of those that began reached their end, such as a sale. */
export function conversionChart(
  counts: readonly { began: number; ended: number }[],
  chart: Pick<PeriodChart, 'title' | 'text' | 'empty'> & { began: string; ended: string },
): PeriodChart {
  const { began, ended, ...words } = chart;
  return {
    ...shareChart(counts.map((each) => ({ part: each.ended, whole: each.began }))),
    ...words,
    atLeast: 10,
    columns: [
      { name: began, values: counts.map((each) => formatCount(each.began)) },
      { name: ended, values: counts.map((each) => formatCount(each.ended)) },
    ],
  };
}

/** Returns shares in percent for a line, with the total share. */
function shareChart(shares: readonly { part: number; whole: number }[]) {
  const format = (share: number) => `${Math.round(share * 10) / 10}%`;
  const sum = (which: 'part' | 'whole') => shares.reduce((all, each) => all + each[which], 0);
  const all = shareOf(sum('part'), sum('whole'));
  return {
    kind: 'line',
    total: all === null ? undefined : format(all),
    series: [{ name: 'Share', values: shares.map(({ part, whole }) => shareOf(part, whole)) }],
    format,
  } as const;
}

/** Returns the share in percent; null if the whole is 0. */
function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : (100 * part) / whole;
}

/** A figure for each unit of a period; null for no figure. */
export type Values = (number | null)[];

/** Reads a period's figures by unit. */
export interface FigureReader<Figure extends string> {
  /** Returns the sums per unit, of one part of the figure or of all parts. */
  sums(figure: Figure, part?: string): Values;
  largest(figure: Figure, part?: string): Values;
  total(figure: Figure, part?: string): number;
  parts(figure: Figure): string[];
}

/** Creates a reader of figures by the units of a period. */
export function figureReader<Figure extends string>(
  figures: readonly FigureRow<Figure>[],
  period: ChartPeriod,
): FigureReader<Figure> {
  const starts = startsOf(period);
  const rowsOf = (figure: Figure, part?: string) =>
    figures.filter((row) => row.figure === figure && (part === undefined || row.part === part));
  const at = (rows: FigureRow<Figure>[], start: Date) =>
    rows.filter((row) => row.start === dayOf(start));
  const sum = (rows: FigureRow<Figure>[]) => rows.reduce((all, row) => all + row.sum, 0);
  const valuesOf = (rows: FigureRow<Figure>[], value: (found: FigureRow<Figure>[]) => number) =>
    starts.map((start) => {
      const found = at(rows, start);
      return found.length === 0 ? null : value(found);
    });
  return {
    sums: (figure, part) => valuesOf(rowsOf(figure, part), sum),
    largest: (figure, part) =>
      valuesOf(rowsOf(figure, part), (found) => Math.max(...found.map(({ max }) => max))),
    total: (figure, part) => sum(rowsOf(figure, part)),
    parts: (figure) => [...new Set(rowsOf(figure).map(({ part }) => part))],
  };
}

/** Returns the currencies with figures; USD if there are none, so that an empty chart says so. */
export function currenciesOf<Figure extends string>(
  read: FigureReader<Figure>,
  figure: Figure,
): string[] {
  const found = read.parts(figure).sort();
  return found.length === 0 ? ['USD'] : found;
}

const months = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const shortDays = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
});

function labelOf(start: Date, unit: FigureUnit): string {
  if (unit === 'month') return months.format(start);
  return unit === 'day' ? formatDay(start) : `Week of ${formatDay(start)}`;
}

function tickOf(start: Date, unit: FigureUnit): string {
  return (unit === 'month' ? months : shortDays).format(start);
}

const counts = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** Formats a count: `1,234.5`. */
export function formatCount(value: number): string {
  return counts.format(value);
}

const COMPACT = {
  notation: 'compact',
  minimumFractionDigits: 0,
  maximumFractionDigits: 1,
} as const;

/** Formats an amount: `$12K`. */
function compactMoney(cents: number, currency: string): string {
  const amount = decimalAmount({ amount: Math.round(cents), currency });
  return currencyFormat('en-US', currency, COMPACT).format(amount);
}
