import { Type } from 'typebox';
import { listBouncedOf } from '../../../../shared/delivery/mail/mail-settings.ts';
import { inTimeOf } from '../../../../shared/delivery/unit-of-work/partner-time.ts';
import { listEndpoints } from '../../../../shared/delivery/webhooks/manage-endpoint.ts';
import { readPartnerFigures } from '../../../../shared/operations/daily-figures/daily-figures.ts';
import { dayOf } from '../../../../shared/platform/clock.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { Money } from '../../../../shared/platform/money.ts';
import { readFunnel } from '../../../../shared/sales/referral/affiliate-report.ts';
import { listRunning } from '../../../../shared/settlement/statements/read-statements.ts';
import { PERIOD_FIELDS, periodForm, readPeriod, startOf } from '../../kit/chart-period.ts';
import { money, relativeTime } from '../../kit/format.ts';
import { descriptionList, link, notice, section } from '../../kit/page-parts.ts';
import { type SiteContext, sitePage } from '../site-page.ts';

/** How the partner's sales and webhooks fare, and what needs somebody. */
export const overviewPage = sitePage({
  path: '',
  input: Type.Object(PERIOD_FIELDS),
  async show(context, given) {
    const { owner, base, now } = context;
    const period = readPeriod(given, now);
    // Charts are of few pages, and so is their library.
    const from = startOf(period.from, period.unit);
    const [{ partnerCharts }, daily, funnel, statements, alerts] = await Promise.all([
      import('./site-overview-charts.ts'),
      readPartnerFigures(context, {
        partnerId: owner.partnerId,
        environment: owner.environment,
        from: dayOf(from),
        to: dayOf(period.to),
        unit: period.unit,
      }),
      owner.affiliateId
        ? readFunnel(context, owner, {
            from,
            to: period.to,
            interval: period.unit,
            currency: 'USD',
          })
        : null,
      listRunning(await inTimeOf(context, owner), owner),
      alertsOf(context),
    ]);
    return {
      title: 'Overview',
      section: 'overview',
      content: html`${alerts}
${descriptionList(
  statements.map((statement) => [
    `Running statement in ${statement.currency}`,
    html`<a href="${base}/settlements/${statement.id}">${money(new Money(Math.abs(statement.amountOwedCents), statement.currency))}</a> <span class="age">${statement.amountOwedCents < 0 ? 'we owe you' : 'you owe us'}</span>`,
  ]),
)}
${section(
  'Figures',
  html`${periodForm(base, period, {})}
${partnerCharts(daily.figures, funnel?.series, period)}
<p class="hint">${
    daily.countedAt
      ? `Counted every five minutes, last ${relativeTime(daily.countedAt, now)}. Days are UTC.`
      : 'Nothing is counted yet. Figures appear within five minutes of the first sale.'
  }</p>`,
)}`,
    };
  },
});

/** As many endpoints as a partner can have. */
const ALL = { before: null, limit: 50 };

/** What keeps the partner from selling, or from hearing of it. */
async function alertsOf(context: SiteContext): Promise<Markup> {
  const { owner, partner, base } = context;
  const [endpoints, bounced] = await Promise.all([
    listEndpoints(context, owner, ALL),
    listBouncedOf(context, owner, 1),
  ]);
  const failing = endpoints.rows.filter((each) => !each.active || each.failingSince !== null);
  const keys = link(`/partner/${owner.partnerId}/keys`, 'API keys');
  return html`${
    owner.environment === 'LIVE' &&
    partner.liveApprovedAt === null &&
    notice({
      tone: 'wait',
      content: 'LIVE needs our approval. Until then, build against SANDBOX.',
    })
  }${
    endpoints.rows.length === 0 &&
    notice({
      tone: 'neutral',
      content: html`<p>Get started: create a key under ${keys}, then follow the <a href="/docs/quickstart">quickstart</a> to register a webhook endpoint and record a first order.</p>`,
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
      content: html`<p>Emails to your team came back. ${link(`${base}/team`, 'See which')}</p>`,
    })
  }`;
}
