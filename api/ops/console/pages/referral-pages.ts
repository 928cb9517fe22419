import { Type } from 'typebox';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { Money } from '../../../../shared/platform/money.ts';
import { COMMISSION_TYPES } from '../../../../shared/sales/referral/commission.ts';
import {
  listAllReferralLinks,
  listAllReferredSales,
} from '../../../../shared/sales/referral/console-referrals.ts';
import { choicesOf, selectFilter } from '../../../pages/kit/form.ts';
import { humanize, money, percent, timestamp } from '../../../pages/kit/format.ts';
import { domainLink, link, tabs } from '../../../pages/kit/page-parts.ts';
import { environmentTag, statusBadge } from '../../../pages/kit/status-badge.ts';
import { numberColumn } from '../../../pages/kit/table.ts';
import { EnvironmentFilter, environmentFilter } from '../console-page.ts';
import { orderPath, partnerPath, REFERRAL_LINKS_PATH, REFERRALS_PATH } from '../console-paths.ts';
import { listInRealTime } from '../list-page.ts';

const views = (path: string): Markup =>
  tabs(
    'Referrals',
    [
      { text: 'Sales', href: REFERRALS_PATH },
      { text: 'Links', href: REFERRAL_LINKS_PATH },
    ].map((each) => ({ ...each, current: each.href === path })),
  );

/** Sales that affiliates referred, and the commissions we owe for them. */
export const referralsPage = listInRealTime({
  path: '/referrals',
  title: 'Referred sales',
  section: 'referrals',
  filters: {
    state: Type.Optional(Type.Enum([...COMMISSION_TYPES])),
    environment: EnvironmentFilter,
  },
  sorts: ['newest', 'oldest'],
  read: (context, { state = null, environment = null }, page) =>
    listAllReferredSales(context, { state, environment }, page),
  above: () => views(REFERRALS_PATH),
  form: ({ state = null, environment = null }) => ({
    fields: [
      selectFilter('state', 'Commission', choicesOf(COMMISSION_TYPES), state),
      environmentFilter(environment),
    ],
  }),
  dates: 'Sold',
  caption: 'Referred sales',
  columns: () => [
    {
      title: 'Domain',
      cell: ({ orderId, domain, environment }) =>
        html`${domainLink(orderPath(orderId), domain)} ${environmentTag(environment)}`,
    },
    { title: 'State', cell: ({ state }) => statusBadge(state) },
    {
      ...numberColumn('Price'),
      cell: ({ amountCents, currency }) => money(new Money(amountCents, currency)),
    },
    {
      ...numberColumn('Commission'),
      cell: ({ commissionCents, currency }) => money(new Money(commissionCents, currency)),
    },
    {
      title: 'Affiliate',
      cell: ({ partnerId, partnerName }) => link(partnerPath(partnerId), partnerName),
    },
    { title: 'Link', cell: ({ code }) => html`<code>${code}</code>` },
    {
      title: 'Sold',
      cell: ({ soldAt }, { now }) => timestamp(soldAt, now),
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
  ],
  empty: 'No referred sales match.',
  more: 'More sales',
  csv: {
    order_id: ({ orderId }) => orderId,
    domain: ({ domain }) => domain,
    environment: ({ environment }) => environment,
    state: ({ state }) => state,
    amount_cents: ({ amountCents }) => amountCents,
    commission_cents: ({ commissionCents }) => commissionCents,
    currency: ({ currency }) => currency,
    partner_id: ({ partnerId }) => partnerId,
    code: ({ code }) => code,
    sold_at: ({ soldAt }) => soldAt.toISOString(),
  },
});

/** The links of all affiliates. */
export const referralLinksPage = listInRealTime({
  path: '/referrals/links',
  title: 'Referral links',
  section: 'referrals',
  filters: { environment: EnvironmentFilter },
  sorts: ['newest', 'oldest'],
  read: (context, { environment = null }, page) => listAllReferralLinks(context, environment, page),
  above: () => views(REFERRAL_LINKS_PATH),
  form: ({ environment = null }) => ({ fields: [environmentFilter(environment)] }),
  dates: 'Created',
  caption: 'Referral links',
  columns: () => [
    {
      title: 'Link',
      cell: ({ code, environment }) => html`<code>${code}</code> ${environmentTag(environment)}`,
    },
    {
      title: 'Leads to',
      cell: ({ kind, target, label }) =>
        html`${target ?? humanize(kind)}${label && html`<span class="sub">${label}</span>`}`,
    },
    {
      title: 'Affiliate',
      cell: ({ partnerId, partnerName }) => link(partnerPath(partnerId), partnerName),
    },
    { ...numberColumn('Commission'), cell: ({ commissionBps }) => percent(commissionBps) },
    { ...numberColumn('Clicks'), cell: ({ clicks }) => clicks.toLocaleString('en-US') },
    {
      title: 'Created',
      cell: ({ createdAt }, { now }) => timestamp(createdAt, now),
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
  ],
  empty: 'No referral links match.',
  more: 'More links',
  csv: {
    id: ({ id }) => id,
    code: ({ code }) => code,
    environment: ({ environment }) => environment,
    kind: ({ kind }) => kind,
    target: ({ target }) => target,
    label: ({ label }) => label,
    partner_id: ({ partnerId }) => partnerId,
    commission_bps: ({ commissionBps }) => commissionBps,
    clicks: ({ clicks }) => clicks,
    created_at: ({ createdAt }) => createdAt.toISOString(),
  },
});
