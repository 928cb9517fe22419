import type {
  Figure,
  FigureRow,
  FigureUnit,
} from '../../../../shared/operations/daily-figures/daily-figures.ts';
import { dayOf, formatDay, TIME_UNITS } from '../../../../shared/platform/clock.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { formatMoney, Money } from '../../../../shared/platform/money.ts';
import { type Chart, chart } from '../../../pages/kit/chart.ts';
import { duration } from '../../../pages/kit/format.ts';
import { type ChartPeriod, startsOf } from './chart-period.ts';

/** Every chart of the overview. */
export function overviewCharts(figures: readonly FigureRow[], period: ChartPeriod): Markup {
  const read = reader(figures, period);
  const points = read.starts.map((start) => ({
    label: labelOf(start, period.unit),
    tick: tickOf(start, period.unit),
  }));
  const of = (rest: Omit<Chart, 'points'>) => chart({ points, ...rest });
  const each = EACH[period.unit];
  return html`<div class="charts">
${of({
  title: 'Orders',
  text: `Recorded ${each}.`,
  kind: 'bars',
  whole: true,
  total: count(read.total('orders')),
  series: [{ name: 'Orders', values: read.sums('orders') }],
  format: count,
  empty: 'No orders in this period.',
})}
${currencies(read, 'gmv').map((currency) => of(gmvChart(read, currency, each)))}
${of(deliveryChart(read, each))}
${of(reviewChart(read, each))}
${of(webhookChart(read, each))}
${of({
  title: 'Jobs done',
  text: `By all queues ${each}, LIVE and SANDBOX.`,
  kind: 'bars',
  whole: true,
  total: count(read.total('jobs_done')),
  series: [{ name: 'Jobs', values: read.sums('jobs_done') }],
  format: count,
  empty: 'No jobs in this period.',
})}
${of(jobAgeChart(read, each))}
${currencies(read, 'settled_gross').map((currency) => of(settlementChart(read, currency, each)))}
</div>`;
}

const EACH: Readonly<Record<FigureUnit, string>> = {
  day: 'each day',
  week: 'each week',
  month: 'each month',
};

function gmvChart(read: Reader, currency: string, each: string): Omit<Chart, 'points'> {
  const format = (cents: number) => formatMoney(new Money(Math.round(cents), currency));
  return {
    title: `Sales in ${currency}`,
    text: `Prices of the orders recorded ${each}.`,
    kind: 'bars',
    total: format(read.total('gmv', currency)),
    series: [{ name: 'Sales', values: read.sums('gmv', currency) }],
    format,
    formatTick: (cents) => compactMoney(cents, currency),
    empty: 'No sales in this period.',
  };
}

function deliveryChart(read: Reader, each: string): Omit<Chart, 'points'> {
  const delivered = read.sums('deliveries');
  const total = read.sums('delivery_ms');
  const slowest = read.largest('slowest_delivery_ms');
  const average = delivered.map((orders, at) => (orders ? (total[at] ?? 0) / orders : null));
  const all = read.total('deliveries');
  return {
    title: 'Time to delivery',
    text: `From order to domain, of orders delivered ${each}.`,
    kind: 'line',
    total: all > 0 ? `${duration(read.total('delivery_ms') / all)} on average` : undefined,
    series: spans([
      { name: 'Average', values: average },
      { name: 'Slowest', values: slowest },
    ]),
    ...spanAxis([...average, ...slowest]),
    columns: [{ name: 'Delivered', values: delivered.map((orders) => count(orders ?? 0)) }],
    empty: 'No deliveries in this period.',
  };
}

function reviewChart(read: Reader, each: string): Omit<Chart, 'points'> {
  const values = read.largest('review_age_ms');
  return {
    title: 'Age of the review queue',
    text: `The longest wait ${each}.`,
    kind: 'line',
    series: spans([{ name: 'Longest wait', values }]),
    ...spanAxis(values),
    empty: 'No order waited for review in this period.',
  };
}

function webhookChart(read: Reader, each: string): Omit<Chart, 'points'> {
  const delivered = read.sums('webhooks_delivered');
  const failed = read.sums('webhooks_failed');
  const values = delivered.map((good, at) => shareOf(good ?? 0, failed[at] ?? 0));
  const all = shareOf(read.total('webhooks_delivered'), read.total('webhooks_failed'));
  const format = (share: number) => `${Math.round(share * 10) / 10}%`;
  return {
    title: 'Webhook success',
    text: `Deliveries that ended well, of those that ended, ${each}.`,
    kind: 'line',
    atLeast: 100,
    total: all === null ? undefined : format(all),
    series: [{ name: 'Success', values }],
    format,
    columns: [
      { name: 'Delivered', values: delivered.map((good) => count(good ?? 0)) },
      { name: 'Failed', values: failed.map((bad) => count(bad ?? 0)) },
    ],
    empty: 'No webhook was delivered in this period.',
  };
}

/** In percent; null of nothing. */
function shareOf(good: number, bad: number): number | null {
  return good + bad === 0 ? null : (100 * good) / (good + bad);
}

function jobAgeChart(read: Reader, each: string): Omit<Chart, 'points'> {
  const values = read.largest('job_age_ms');
  return {
    title: 'Age of the queues',
    text: `The longest wait of a due job ${each}, LIVE and SANDBOX.`,
    kind: 'line',
    series: spans([{ name: 'Longest wait', values }]),
    ...spanAxis(values),
    empty: 'No job waited in this period.',
  };
}

function settlementChart(read: Reader, currency: string, each: string): Omit<Chart, 'points'> {
  const format = (cents: number) => formatMoney(new Money(Math.round(cents), currency));
  return {
    title: `Settlements in ${currency}`,
    text: `Totals of the statements closed ${each}.`,
    kind: 'bars',
    total: `${format(read.total('settled_owed', currency))} owed to us`,
    series: [
      { name: 'Sold', values: read.sums('settled_gross', currency) },
      { name: 'Commission', values: read.sums('settled_commission', currency) },
      { name: 'Owed to us', values: read.sums('settled_owed', currency) },
    ],
    format,
    formatTick: (cents) => compactMoney(cents, currency),
    empty: 'No statement was closed in this period.',
  };
}

/** What a queue did in the period: jobs that were done, and the longest that one waited. */
export function queueFigures(figures: readonly FigureRow[], queue: string): [number, number] {
  const of = (figure: Figure) =>
    figures.filter((row) => row.figure === figure && row.part === queue);
  const done = of('jobs_done').reduce((sum, row) => sum + row.sum, 0);
  return [done, Math.max(0, ...of('job_age_ms').map(({ max }) => max))];
}

type Values = (number | null)[];

interface Reader {
  /** The first days of the parts of the period. */
  starts: Date[];
  /** Of one part of the figure, or of all of them. */
  sums(figure: Figure, part?: string): Values;
  largest(figure: Figure, part?: string): Values;
  total(figure: Figure, part?: string): number;
  parts(figure: Figure): string[];
}

function reader(figures: readonly FigureRow[], period: ChartPeriod): Reader {
  const starts = startsOf(period);
  const rowsOf = (figure: Figure, part?: string) =>
    figures.filter((row) => row.figure === figure && (part === undefined || row.part === part));
  const at = (rows: FigureRow[], start: Date) => rows.filter((row) => row.start === dayOf(start));
  const sum = (rows: FigureRow[]) => rows.reduce((all, row) => all + row.sum, 0);
  const valuesOf = (rows: FigureRow[], value: (found: FigureRow[]) => number) =>
    starts.map((start) => {
      const found = at(rows, start);
      return found.length === 0 ? null : value(found);
    });
  return {
    starts,
    sums: (figure, part) => valuesOf(rowsOf(figure, part), sum),
    largest: (figure, part) =>
      valuesOf(rowsOf(figure, part), (found) => Math.max(...found.map(({ max }) => max))),
    total: (figure, part) => sum(rowsOf(figure, part)),
    parts: (figure) => [...new Set(rowsOf(figure).map(({ part }) => part))],
  };
}

/** Currencies with figures; USD when there are none, so that the chart says so. */
function currencies(read: Reader, figure: Figure): string[] {
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

function count(value: number): string {
  return counts.format(value);
}

/** `$12K`. */
function compactMoney(cents: number, currency: string): string {
  const format = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    notation: 'compact',
    minimumFractionDigits: 0,
    maximumFractionDigits: 1,
  });
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return format.format(cents / 10 ** digits);
}

/** Spans in the largest unit of which the longest has two, so that the axis has round figures. */
function spanAxis(values: Values): Pick<Chart, 'format'> {
  const [, unit] = spanUnit(values);
  return { format: (value) => `${counts.format(value)} ${unit}` };
}

function spans(series: Chart['series'][number][]): Chart['series'] {
  const [size] = spanUnit(series.flatMap(({ values }) => values));
  return series.map(({ name, values }) => ({
    name,
    values: values.map((ms) => (ms === null ? null : ms / size)),
  }));
}

function spanUnit(values: Values): readonly [ms: number, unit: string] {
  const longest = Math.max(0, ...values.map((ms) => ms ?? 0));
  return TIME_UNITS.find(([size]) => longest >= 2 * size) ?? [1, 'ms'];
}
