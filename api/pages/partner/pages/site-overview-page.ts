import { Type } from 'typebox';
import { unicodeOf } from '../../../../shared/market/names/domain-name.ts';
import { listBouncedOf } from '../../../../shared/messaging/mail/mail-settings.ts';
import { listEndpoints } from '../../../../shared/messaging/webhooks/manage-endpoint.ts';
import { readPartnerFigures } from '../../../../shared/operations/daily-figures/daily-figures.ts';
import { readCredentials } from '../../../../shared/people/partners/read-credentials.ts';
import { addMs, dayOf, MINUTE } from '../../../../shared/platform/clock.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { Money } from '../../../../shared/platform/money.ts';
import { hasOrders } from '../../../../shared/sales/orders/read-orders.ts';
import { readFunnel } from '../../../../shared/sales/referral/affiliate-report.ts';
import { listFailedTransfers } from '../../../../shared/sales/transfers/failed-transfers.ts';
import {
  type Balance,
  readBalances,
} from '../../../../shared/settlement/statements/read-statements.ts';
import { PERIOD_FIELDS, periodForm, readPeriod, startOf } from '../../kit/chart-period.ts';
import { formatDay, money, relativeTime } from '../../kit/format.ts';
import { descriptionList, link, notice, section } from '../../kit/page-parts.ts';
import { realPageNow } from '../../kit/page-time.ts';
import { lastMoment } from '../../kit/statement-parts.ts';
import { statusBadge } from '../../kit/status-badge.ts';
import { type SiteContext, sitePage } from '../site-page.ts';

/** Shows the performance of the partner's sales and webhooks, and what needs attention. */
export const overviewPage = sitePage({
  path: '',
  time: 'own',
  input: Type.Object(PERIOD_FIELDS),
  async show(context, given) {
    const { owner, base, now } = context;
    const period = readPeriod(given, now);
    // Few pages have charts, so their library is loaded only here.
    const from = startOf(period.from, period.unit);
    // Clicks and referred sales use real time: on the days of a clock that is ahead there are none.
    const ahead = now > addMs(realPageNow(context), MINUTE);
    const [{ partnerCharts }, daily, funnel, balances, alerts] = await Promise.all([
      import('./site-overview-charts.ts'),
      readPartnerFigures(context, {
        partnerId: owner.partnerId,
        environment: owner.environment,
        from: dayOf(from),
        to: dayOf(period.to),
        unit: period.unit,
      }),
      owner.affiliateId && !ahead
        ? readFunnel(context, owner, {
            from,
            to: period.to,
            interval: period.unit,
            currency: 'USD',
          })
        : null,
      readBalances(context, owner),
      alertsOf(context),
    ]);
    return {
      title: 'Overview',
      section: 'overview',
      content: html`${alerts}
${balances.map((each) => balanceFacts(base, each))}
${section(
  'Figures',
  html`${periodForm(base, period, {})}
${partnerCharts(daily.figures, funnel?.series, period)}
<p class="hint">${
    daily.countedAt
      ? `Counted every five minutes, last ${relativeTime(daily.countedAt, realPageNow(context))}. Days are UTC.`
      : 'No figures yet. They appear within five minutes of your first sale.'
  }${owner.affiliateId && ahead && html` Referral links use real time: see ${link(`${base}/referrals`, 'Referrals')}.`}</p>`,
)}`,
    };
  },
});

/** Shows what the partner owes us in a currency, or we owe the partner, and for what. */
function balanceFacts(base: string, { currency, unpaid, running, owedCents }: Balance): Markup {
  const amount = (cents: number) => money(new Money(Math.abs(cents), currency));
  const closedPath = `${base}/settlements?status=closed`;
  return descriptionList([
    [
      owedCents < 0 ? `We owe you, in ${currency}` : `You owe us, in ${currency}`,
      html`<strong>${amount(owedCents)}</strong>`,
    ],
    [
      'Overdue',
      unpaid &&
        unpaid.overdue > 0 &&
        html`<a href="${closedPath}">${amount(unpaid.overdueCents)}</a> ${statusBadge('overdue')} <span class="age">${statements(unpaid.overdue)}${unpaid.dueAt && html`, due since ${formatDay(unpaid.dueAt)}`}</span>`,
    ],
    [
      'Closed and unpaid',
      unpaid &&
        html`<a href="${closedPath}">${amount(unpaid.amountCents)}</a> <span class="age">${statements(unpaid.statements)}${unpaid.overdue === 0 && unpaid.dueAt && html`, due ${formatDay(unpaid.dueAt)}`}</span>`,
    ],
    [
      'Running period',
      running &&
        html`<a href="${base}/settlements/${running.id}">${amount(running.amountOwedCents)}</a> <span class="age">${running.amountOwedCents < 0 ? 'we owe you, ' : ''}until ${formatDay(lastMoment(running))}</span>`,
    ],
  ]);
}

function statements(count: number): string {
  return count === 1 ? '1 statement' : `${count} statements`;
}

/** The maximum number of failed transfers that are listed. */
const MAX_NAMED = 5;
/** One page that holds all of a partner's endpoints. */
const ALL = { before: null, limit: 50 };

/** Returns what keeps the partner from selling, or from being notified. */
async function alertsOf(context: SiteContext): Promise<Markup> {
  const { owner, partner, base } = context;
  const [endpoints, bounced, stopped, credentials] = await Promise.all([
    listEndpoints(context, owner, ALL),
    listBouncedOf(context, owner, 1),
    listFailedTransfers(context, owner, MAX_NAMED + 1),
    readCredentials(context, owner.partnerId),
  ]);
  const hasKey = credentials.some(({ environment }) => environment === owner.environment);
  const failing = endpoints.rows.filter((each) => !each.active || each.failingSince !== null);
  const isNew = endpoints.rows.length === 0 && !(await hasOrders(context, owner));
  const keys = link(`/partner/${owner.partnerId}/keys`, 'API keys');
  return html`${
    owner.environment === 'LIVE' &&
    partner.liveApprovedAt === null &&
    notice({
      tone: 'wait',
      content: 'LIVE needs our approval. Until then, build against SANDBOX.',
    })
  }${
    isNew &&
    notice({
      tone: 'neutral',
      content: html`<p>Get started: ${!hasKey && html`create a key under ${keys}, `}record a first order by the <a href="/docs/quickstart">quickstart</a>, and add an endpoint under ${link(`${base}/webhooks`, 'Webhooks')}.</p>`,
    })
  }${
    stopped.length > 0 &&
    notice({
      tone: 'bad',
      content: html`<p>These transfers failed: ${stopped.slice(0, MAX_NAMED).map(({ orderId, domain }, at) => html`${at > 0 && ', '}${link(`${base}/orders/${orderId}`, unicodeOf(domain))}`)}${stopped.length > MAX_NAMED && ' and more'}. We retry or refund them.</p>`,
    })
  }${
    failing.length > 0 &&
    notice({
      tone: 'bad',
      content: html`<p>These webhook endpoints need attention: ${failing.map(({ id, name }, at) => html`${at > 0 && ', '}${link(`${base}/webhooks/${id}`, name)}`)}.</p>`,
    })
  }${
    bounced.length > 0 &&
    notice({
      tone: 'wait',
      content: html`<p>Emails to your team were returned. ${link(`${base}/team`, 'See which')}</p>`,
    })
  }`;
}
