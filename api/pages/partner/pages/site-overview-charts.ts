import type {
  FigureRow,
  PartnerFigure,
} from '../../../../shared/operations/daily-figures/daily-figures.ts';
import { dayOf } from '../../../../shared/platform/clock.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import type {
  ClickPeriod,
  FunnelPeriod,
} from '../../../../shared/sales/referral/affiliate-report.ts';
import { chart } from '../../kit/chart.ts';
import { type ChartPeriod, startsOf } from '../../kit/chart-period.ts';
import {
  conversionChart,
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
  webhookChart,
} from '../../kit/figure-charts.ts';

/** Returns every chart of a partner's overview; `funnel` covers its referral links, if it has an affiliate account. */
export function partnerCharts(
  figures: readonly FigureRow<PartnerFigure>[],
  funnel: readonly FunnelPeriod[] | undefined,
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
${of(checkoutChart(read, EACH[unit]))}
${funnel && of(referralChart(funnel, period))}
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

function checkoutChart(read: FigureReader<PartnerFigure>, each: string): PeriodChart {
  const paid = read.sums('checkouts_paid');
  const counts = read
    .sums('checkouts')
    .map((opened, at) => ({ began: opened ?? 0, ended: paid[at] ?? 0 }));
  return conversionChart(counts, {
    title: 'Checkout conversion',
    text: `Checkout sessions opened ${each} that have been paid.`,
    began: 'Opened',
    ended: 'Paid',
    empty: 'No checkout session was opened in this period.',
  });
}

function referralChart(funnel: readonly FunnelPeriod[], period: ChartPeriod): PeriodChart {
  const counts = startsOf(period).map((start) => {
    const found = funnel.find((each) => each.start === dayOf(start));
    return { began: Number(found?.clicks ?? 0), ended: found?.sales ?? 0 };
  });
  return conversionChart(counts, {
    title: 'Referral conversion',
    text: `Sales for each click on your links, ${EACH[period.unit]}. A sale counts on its own day.`,
    began: 'Clicks',
    ended: 'Sales',
    empty: 'Nobody followed a link in this period.',
  });
}

/** Returns the chart of clicks on a referral link. */
export function linkChart(clicks: readonly ClickPeriod[], period: ChartPeriod): Markup {
  const values = startsOf(period).map((start) =>
    Number(clicks.find((each) => each.start === dayOf(start))?.clicks ?? 0),
  );
  return chart({
    points: pointsOf(period),
    title: 'Clicks',
    text: `How often the link was followed ${EACH[period.unit]}.`,
    kind: 'bars',
    whole: true,
    total: formatCount(values.reduce((all, each) => all + each, 0)),
    series: [{ name: 'Clicks', values }],
    format: formatCount,
    empty: 'Nobody followed this link in the last 30 days.',
  });
}
