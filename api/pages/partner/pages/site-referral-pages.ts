import { Type } from 'typebox';
import { addMs, DAY, dayOf } from '../../../../shared/platform/clock.ts';
import { fail } from '../../../../shared/platform/errors.ts';
import { html } from '../../../../shared/platform/html.ts';
import { Money } from '../../../../shared/platform/money.ts';
import {
  type LinkStats,
  listLinks,
  listReferredSales,
  maskEmail,
  readClicks,
  readLink,
} from '../../../../shared/sales/referral/affiliate-report.ts';
import { linkUrl } from '../../../../shared/sales/referral/referral-link.ts';
import { readPeriod } from '../../kit/chart-period.ts';
import { inputFilter } from '../../kit/form.ts';
import { humanize, money, percent, timestamp } from '../../kit/format.ts';
import { descriptionList, domainCell, emptyValue, link, section } from '../../kit/page-parts.ts';
import { statusBadge } from '../../kit/status-badge.ts';
import { numberColumn, table } from '../../kit/table.ts';
import { siteList, sitePage } from '../site-page.ts';

/** Returns a sum of each currency that has sales, one a line. */
const sumsOf = ({ sums }: LinkStats, of: 'gmvCents' | 'commissionCents') =>
  sums.length === 0
    ? emptyValue()
    : html`${sums.map((each) => html`<div>${money(new Money(each[of], each.currency))}</div>`)}`;

const oneOrAll = (sums: readonly number[]) => (sums.length > 1 ? sums.join(' ') : (sums[0] ?? 0));

/** The partner's referral links with their results. */
export const referralLinksPage = siteList({
  path: '/referrals',
  time: 'real',
  title: 'Referral links',
  section: 'referrals',
  filters: { sub_id: Type.Optional(Type.String({ maxLength: 100 })) },
  sorts: ['newest'],
  async read(context, { sub_id }, { after, limit }) {
    const { owner } = context;
    if (!owner.affiliateId) return { rows: [], next: null };
    const filter = { kind: null, subId: sub_id ?? null, before: after, limit };
    return listLinks(context, owner, filter);
  },
  form: ({ sub_id = null }) => ({ fields: [inputFilter('sub_id', 'Sub ID', sub_id, 100)] }),
  caption: 'Referral links, newest first',
  columns: (_filters, _here, { base, now }) => [
    {
      title: 'Link',
      cell: ({ id, code, label }: LinkStats) =>
        html`<a href="${base}/referrals/${id}"><code>${code}</code></a>${label && html`<span class="sub">${label}</span>`}`,
    },
    {
      title: 'Leads to',
      cell: ({ domain, product, kind }) =>
        domain === null ? (product ?? humanize(kind)) : domainCell(domain),
    },
    { title: 'Sub ID', cell: ({ subId }) => subId ?? emptyValue() },
    { ...numberColumn('Commission'), cell: ({ commissionBps }) => percent(commissionBps) },
    { ...numberColumn('Clicks'), cell: ({ clicks }) => Number(clicks).toLocaleString('en-US') },
    {
      ...numberColumn('Visitors'),
      cell: ({ uniqueClicks }) => Number(uniqueClicks).toLocaleString('en-US'),
    },
    { ...numberColumn('Sales'), cell: ({ conversions }) => conversions },
    { ...numberColumn('Sold'), cell: (row) => sumsOf(row, 'gmvCents') },
    { ...numberColumn('Earned'), cell: (row) => sumsOf(row, 'commissionCents') },
    { title: 'Created', cell: ({ createdAt }) => timestamp(createdAt, now) },
  ],
  empty({ sub_id }, { owner }) {
    if (!owner.affiliateId) return 'Referral links need an affiliate account. Ask us to open one.';
    return sub_id ? 'No links match.' : 'No links yet. Create one with POST /v1/links.';
  },
  more: 'Earlier links',
  csv: {
    id: ({ id }) => id,
    code: ({ code }) => code,
    kind: ({ kind }) => kind,
    target: ({ domain, product }) => domain ?? product,
    sub_id: ({ subId }) => subId,
    commission_bps: ({ commissionBps }) => commissionBps,
    clicks: ({ clicks }) => Number(clicks),
    unique_clicks: ({ uniqueClicks }) => Number(uniqueClicks),
    conversions: ({ conversions }) => conversions,
    // Sales in several currencies have as many sums, in the same order.
    currency: ({ sums }) => sums.map((each) => each.currency).join(' '),
    gmv_cents: ({ sums }) => oneOrAll(sums.map((each) => each.gmvCents)),
    commission_cents: ({ sums }) => oneOrAll(sums.map((each) => each.commissionCents)),
    created_at: ({ createdAt }) => createdAt.toISOString(),
  },
});

const RECENT_SALES = 20;

/** One link: its target, its results, its recent clicks and its newest sales. */
export const referralLinkPage = sitePage({
  path: '/referrals/:link',
  time: 'real',
  input: Type.Object({ link: Type.String({ maxLength: 64 }) }),
  async show(context, { link: linkId }) {
    const { owner, base, now, config } = context;
    // Without an affiliate account there are no links.
    if (!owner.affiliateId) throw fail('not_found');
    const found = await readLink(context, owner, linkId);
    const period = readPeriod({}, now);
    const range = { from: period.from, to: addMs(new Date(dayOf(now)), DAY) };
    const [{ linkChart }, clicks, sales] = await Promise.all([
      import('./site-overview-charts.ts'),
      readClicks(context, owner, { ...range, interval: period.unit, linkId }),
      listReferredSales(context, owner, {
        from: null,
        to: null,
        states: null,
        linkId,
        before: null,
        limit: RECENT_SALES,
      }),
    ]);
    return {
      title: found.label ?? found.code,
      section: 'referrals',
      content: html`<p>${link(`${base}/referrals`, 'All referral links')}</p>
${descriptionList([
  ['Address', html`<span class="id">${linkUrl(config.baseUrl, found.code)}</span>`],
  ['Leads to', found.domain ?? found.product ?? humanize(found.kind)],
  ['Sub ID', found.subId],
  ['Commission', percent(found.commissionBps)],
  ['Clicks', Number(found.clicks).toLocaleString('en-US')],
  ['Visitors', Number(found.uniqueClicks).toLocaleString('en-US')],
  ['Sales', found.conversions],
  ['Sold', sumsOf(found, 'gmvCents')],
  ['Earned', sumsOf(found, 'commissionCents')],
  ['Created', timestamp(found.createdAt, now)],
  ['Link', html`<span class="id">${found.id}</span>`],
])}
${section('Last 30 days', html`<div class="charts">${linkChart(clicks, period)}</div>`)}
${section(
  'Newest sales',
  table(
    'Sales from this link, newest first',
    ['Domain', 'Buyer', numberColumn('Price'), numberColumn('Commission'), 'Status', 'Sold'],
    sales.rows.map((sale) => [
      sale.domain,
      maskEmail(sale.buyerEmail),
      money(new Money(sale.amountCents, sale.currency)),
      money(new Money(sale.commissionCents, sale.currency)),
      statusBadge(sale.state),
      timestamp(sale.soldAt, now),
    ]),
    'No sales yet. A buyer who follows the link and buys within 30 days counts.',
  ),
)}`,
    };
  },
});
