import type {
  Figure,
  FigureRow,
} from '../../../../shared/operations/daily-figures/daily-figures.ts';
import { TIME_UNITS } from '../../../../shared/platform/clock.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { type Chart, chart } from '../../../pages/kit/chart.ts';
import type { ChartPeriod } from '../../../pages/kit/chart-period.ts';
import {
  countChart,
  currenciesOf,
  EACH,
  type FigureReader,
  figureReader,
  formatCount,
  moneyAxis,
  type PeriodChart,
  pointsOf,
  salesChart,
  type Values,
  webhookChart,
} from '../../../pages/kit/figure-charts.ts';
import { duration } from '../../../pages/kit/format.ts';

type Reader = FigureReader<Figure>;

/** Returns every chart of the overview. */
export function overviewCharts(figures: readonly FigureRow[], period: ChartPeriod): Markup {
  const read: Reader = figureReader(figures, period);
  const points = pointsOf(period);
  const of = (rest: PeriodChart) => chart({ points, ...rest });
  const { unit } = period;
  const each = EACH[unit];
  return html`<div class="charts">
${of(countChart(read, 'orders', { title: 'Orders', text: `Recorded ${each}.`, empty: 'No orders in this period.' }))}
${currenciesOf(read, 'gmv').map((currency) => of(salesChart(read, currency, unit)))}
${of(deliveryChart(read, each))}
${of(reviewChart(read, each))}
${of(webhookChart(read, unit))}
${of(
  countChart(read, 'jobs_done', {
    title: 'Jobs done',
    name: 'Jobs',
    text: `In all queues ${each}, LIVE and SANDBOX.`,
    empty: 'No jobs in this period.',
  }),
)}
${of(jobAgeChart(read, each))}
${currenciesOf(read, 'settled_gross').map((currency) => of(settlementChart(read, currency, each)))}
</div>`;
}

function deliveryChart(read: Reader, each: string): PeriodChart {
  const delivered = read.sums('deliveries');
  const total = read.sums('delivery_ms');
  const slowest = read.largest('slowest_delivery_ms');
  const average = delivered.map((orders, at) => (orders ? (total[at] ?? 0) / orders : null));
  const all = read.total('deliveries');
  return {
    title: 'Time to delivery',
    text: `From order to domain, for orders delivered ${each}.`,
    kind: 'line',
    total: all > 0 ? `${duration(read.total('delivery_ms') / all)} on average` : undefined,
    series: spans([
      { name: 'Average', values: average },
      { name: 'Slowest', values: slowest },
    ]),
    ...spanAxis([...average, ...slowest]),
    columns: [{ name: 'Delivered', values: delivered.map((orders) => formatCount(orders ?? 0)) }],
    empty: 'No deliveries in this period.',
  };
}

function reviewChart(read: Reader, each: string): PeriodChart {
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

function jobAgeChart(read: Reader, each: string): PeriodChart {
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

function settlementChart(read: Reader, currency: string, each: string): PeriodChart {
  const axis = moneyAxis(currency);
  return {
    title: `Settlements in ${currency}`,
    text: `Totals of the statements closed ${each}.`,
    kind: 'bars',
    total: `${axis.format(read.total('settled_owed', currency))} owed to us`,
    series: [
      { name: 'Sold', values: read.sums('settled_gross', currency) },
      { name: 'Commission', values: read.sums('settled_commission', currency) },
      { name: 'Owed to us', values: read.sums('settled_owed', currency) },
    ],
    ...axis,
    empty: 'No statement was closed in this period.',
  };
}

/** Returns a queue's work in the period: the number of completed jobs, and the longest wait of a job. */
export function queueFigures(figures: readonly FigureRow[], queue: string): [number, number] {
  const of = (figure: Figure) =>
    figures.filter((row) => row.figure === figure && row.part === queue);
  const done = of('jobs_done').reduce((sum, row) => sum + row.sum, 0);
  return [done, Math.max(0, ...of('job_age_ms').map(({ max }) => max))];
}

/** Formats durations in the largest unit of which the longest has two, so that the axis has round figures. */
function spanAxis(values: Values): Pick<Chart, 'format'> {
  const [, unit] = spanUnit(values);
  return { format: (value) => `${formatCount(value)} ${unit}` };
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
