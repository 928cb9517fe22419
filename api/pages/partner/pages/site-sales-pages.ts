import { Type } from 'typebox';
import { html } from '../../../../shared/platform/html.ts';
import { Money } from '../../../../shared/platform/money.ts';
import {
  type BrokerageCase,
  CASE_STATUSES,
} from '../../../../shared/sales/brokerage/brokerage-case.ts';
import { getCase, listCases } from '../../../../shared/sales/brokerage/read-cases.ts';
import {
  type CheckoutSession,
  SESSION_STATUSES,
} from '../../../../shared/sales/checkout/checkout-session.ts';
import { listSessions } from '../../../../shared/sales/checkout/read-checkout-session.ts';
import { type LinkStats, listLinks } from '../../../../shared/sales/referral/affiliate-report.ts';
import { caseTimeline } from '../../kit/case-parts.ts';
import { inputFilter, statusFilter } from '../../kit/form.ts';
import { humanize, money, percent, timestamp } from '../../kit/format.ts';
import { descriptionList, emptyValue, link } from '../../kit/page-parts.ts';
import { statusBadge } from '../../kit/status-badge.ts';
import { numberColumn } from '../../kit/table.ts';
import { siteList, sitePage, TIME_CURSOR } from '../site-page.ts';

/** The partner's hosted payment pages. */
export const checkoutsPage = siteList({
  path: '/checkouts',
  title: 'Checkout sessions',
  section: 'checkouts',
  filters: { status: Type.Optional(Type.Enum([...SESSION_STATUSES])) },
  sorts: ['newest'],
  read: (context, { status = null }, { from, to, after, limit }) =>
    listSessions(context, context.owner, { status, from, to, before: after, limit }),
  cursor: TIME_CURSOR,
  form: ({ status = null }) => ({ fields: [statusFilter(SESSION_STATUSES, status)] }),
  dates: 'Created',
  caption: 'Checkout sessions, newest first',
  columns: (_filters, _here, { base, now }) => [
    { title: 'Domain', cell: ({ domain }: CheckoutSession) => domain },
    { title: 'Status', cell: ({ status }) => statusBadge(status) },
    { ...numberColumn('Price'), cell: ({ price }) => money(price) },
    { title: 'Buyer', cell: ({ buyerEmail }) => buyerEmail ?? emptyValue() },
    { title: 'Your reference', cell: ({ clientReference }) => clientReference ?? emptyValue() },
    { title: 'Last decline', cell: ({ lastDecline }) => lastDecline && humanize(lastDecline) },
    {
      title: 'Order',
      cell: ({ orderId }) => (orderId ? link(`${base}/orders/${orderId}`, 'Order') : emptyValue()),
    },
    { title: 'Created', cell: ({ createdAt }) => timestamp(createdAt, now) },
    { title: 'Expires', cell: ({ expiresAt }) => timestamp(expiresAt, now) },
  ],
  empty: 'No sessions match. POST /checkout-session makes a payment page for a domain.',
  more: 'Earlier sessions',
  csv: {
    id: ({ id }) => id,
    domain: ({ domain }) => domain,
    status: ({ status }) => status,
    price_cents: ({ price }) => price.amount,
    currency: ({ price }) => price.currency,
    buyer_email: ({ buyerEmail }) => buyerEmail,
    client_reference: ({ clientReference }) => clientReference,
    order_id: ({ orderId }) => orderId,
    created_at: ({ createdAt }) => createdAt.toISOString(),
  },
});

/** The partner's brokerage cases. */
export const casesPage = siteList({
  path: '/brokerage',
  title: 'Brokerage cases',
  section: 'brokerage',
  filters: { status: Type.Optional(Type.Enum([...CASE_STATUSES])) },
  sorts: ['newest'],
  read: (context, { status }, { from, to, after, limit }) =>
    listCases(context, context.owner, {
      statuses: status === undefined ? null : [status],
      from,
      to,
      before: after,
      limit,
    }),
  cursor: TIME_CURSOR,
  form: ({ status = null }) => ({ fields: [statusFilter(CASE_STATUSES, status)] }),
  dates: 'Opened',
  caption: 'Cases, newest first',
  columns: (_filters, _here, { base, now }) => [
    {
      title: 'Domain',
      cell: ({ id, domain }: BrokerageCase) => link(`${base}/brokerage/${id}`, domain),
    },
    { title: 'Status', cell: ({ status }) => statusBadge(status) },
    { ...numberColumn('Budget'), cell: ({ budget }) => money(budget) },
    { ...numberColumn('Latest offer'), cell: ({ latestOffer }) => money(latestOffer) },
    { ...numberColumn('Your commission'), cell: ({ commission }) => money(commission) },
    { title: 'Buyer', cell: ({ buyerEmail }) => buyerEmail },
    { title: 'Opened', cell: ({ createdAt }) => timestamp(createdAt, now) },
  ],
  empty: 'No cases match. POST /brokerage/cases asks us to buy a domain that is not listed.',
  more: 'Earlier cases',
  csv: {
    id: ({ id }) => id,
    domain: ({ domain }) => domain,
    status: ({ status }) => status,
    tier: ({ tier }) => tier,
    budget_cents: ({ budget }) => budget.amount,
    latest_offer_cents: ({ latestOffer }) => latestOffer?.amount ?? null,
    currency: ({ budget }) => budget.currency,
    buyer_email: ({ buyerEmail }) => buyerEmail,
    created_at: ({ createdAt }) => createdAt.toISOString(),
  },
});

/** One case with its history. */
export const casePage = sitePage({
  path: '/brokerage/:case',
  input: Type.Object({ case: Type.String({ maxLength: 64 }) }),
  async show(context, { case: id }) {
    const { owner, base, now } = context;
    const { found, timeline } = await getCase(context, owner, id);
    return {
      title: found.domain,
      section: 'brokerage',
      content: html`${descriptionList([
        ['Status', statusBadge(found.status)],
        ['Tier', humanize(found.tier)],
        ['Budget', money(found.budget)],
        ['Latest offer', money(found.latestOffer)],
        ['Deal price', found.dealPrice && money(found.dealPrice)],
        ['Your commission', found.commission && money(found.commission)],
        ['Order', found.orderId && link(`${base}/orders/${found.orderId}`, 'Order')],
        ['Buyer', found.buyerEmail],
        ['Opened', timestamp(found.createdAt, now)],
        ['Closed', found.closedAt && timestamp(found.closedAt, now)],
        ['Case', html`<span class="id">${found.id}</span>`],
      ])}
${caseTimeline(timeline, now)}`,
    };
  },
});

const CURRENCY = 'USD';

/** The partner's referral links with what came of each. */
export const referralLinksPage = siteList({
  path: '/referrals',
  title: 'Referral links',
  section: 'referrals',
  filters: { sub_id: Type.Optional(Type.String({ maxLength: 64 })) },
  sorts: ['newest'],
  async read(context, { sub_id }, { after, limit }) {
    const { owner } = context;
    if (!owner.affiliateId) return { rows: [], next: null };
    const filter = { kind: null, subId: sub_id ?? null, currency: CURRENCY, before: after, limit };
    return listLinks(context, owner, filter);
  },
  form: ({ sub_id = null }) => ({ fields: [inputFilter('sub_id', 'Sub-id', sub_id, 64)] }),
  caption: 'Referral links, newest first',
  columns: (_filters, _here, { now }) => [
    {
      title: 'Link',
      cell: ({ code, label }: LinkStats) =>
        html`<code>${code}</code>${label && html`<span class="sub">${label}</span>`}`,
    },
    { title: 'Leads to', cell: ({ domain, product, kind }) => domain ?? product ?? humanize(kind) },
    { title: 'Sub-id', cell: ({ subId }) => subId ?? emptyValue() },
    { ...numberColumn('Commission'), cell: ({ commissionBps }) => percent(commissionBps) },
    { ...numberColumn('Clicks'), cell: ({ clicks }) => Number(clicks).toLocaleString('en-US') },
    {
      ...numberColumn('Visitors'),
      cell: ({ uniqueClicks }) => Number(uniqueClicks).toLocaleString('en-US'),
    },
    { ...numberColumn('Sales'), cell: ({ conversions }) => conversions },
    {
      ...numberColumn('Sold'),
      cell: ({ gmvCents }) => money(new Money(Number(gmvCents), CURRENCY)),
    },
    {
      ...numberColumn('Earned'),
      cell: ({ commissionCents }) => money(new Money(Number(commissionCents), CURRENCY)),
    },
    { title: 'Created', cell: ({ createdAt }) => timestamp(createdAt, now) },
  ],
  empty:
    'No links match. With an affiliate account, which we open for you, POST /referral/links makes them.',
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
    gmv_cents: ({ gmvCents }) => Number(gmvCents),
    commission_cents: ({ commissionCents }) => Number(commissionCents),
    created_at: ({ createdAt }) => createdAt.toISOString(),
  },
});
