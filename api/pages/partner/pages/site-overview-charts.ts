import type {
  FigureRow,
  PartnerFigure,
} from '../../../../shared/operations/daily-figures/daily-figures.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { chart } from '../../kit/chart.ts';
import type { ChartPeriod } from '../../kit/chart-period.ts';
import {
  countChart,
  currenciesOf,
  EACH,
  type FigureReader,
  figureReader,
  moneyAxis,
  type PeriodChart,
  pointsOf,
  salesChart,
  webhookChart,
} from '../../kit/figure-charts.ts';

/** Every chart of a partner's overview. */
export function partnerCharts(
  figures: readonly FigureRow<PartnerFigure>[],
  period: ChartPeriod,
): Markup {
  const read = figureReader(figures, period);
  const points = pointsOf(period);
  const { unit } = period;
  const of = (rest: PeriodChart) => chart({ points, ...rest });
  return html`<div class="charts">
${of(countChart(read, 'orders', { title: 'Orders', text: `Recorded ${EACH[unit]}.`, empty: 'No orders in this period.' }))}
${currenciesOf(read, 'gmv').map((currency) => of(salesChart(read, currency, unit)))}
${currenciesOf(read, 'commission').map((currency) => of(commissionChart(read, currency, EACH[unit])))}
${of(webhookChart(read, unit))}
</div>`;
}

function commissionChart(
  read: FigureReader<PartnerFigure>,
  currency: string,
  each: string,
): PeriodChart {
  const axis = moneyAxis(currency);
  return {
    title: `Commission in ${currency}`,
    text: `Yours, of the orders recorded ${each}. Refunds are in your statements.`,
    kind: 'bars',
    total: axis.format(read.total('commission', currency)),
    series: [{ name: 'Commission', values: read.sums('commission', currency) }],
    ...axis,
    empty: 'No commission in this period.',
  };
}
