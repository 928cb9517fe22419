import { Type } from 'typebox';
import { unicodeOf } from '../../../../shared/market/names/domain-name.ts';
import { html } from '../../../../shared/platform/html.ts';
import {
  type BrokerageCase,
  CASE_STATUSES,
} from '../../../../shared/sales/brokerage/brokerage-case.ts';
import { getCase, listCases } from '../../../../shared/sales/brokerage/read-cases.ts';
import {
  type CheckoutSession,
  SESSION_STATUSES,
} from '../../../../shared/sales/checkout/checkout-session.ts';
import {
  listSessions,
  readSession,
} from '../../../../shared/sales/checkout/read-checkout-session.ts';
import { caseTimeline, latestOffer } from '../../kit/case-parts.ts';
import { statusFilter } from '../../kit/form.ts';
import { emailText, humanize, money, percent, timestamp } from '../../kit/format.ts';
import { asciiFact, descriptionList, domainLink, emptyValue, link } from '../../kit/page-parts.ts';
import { statusBadge } from '../../kit/status-badge.ts';
import { numberColumn } from '../../kit/table.ts';
import { siteList, sitePage, TIME_CURSOR } from '../site-page.ts';

/** The partner's hosted payment pages. */
export const checkoutsPage = siteList({
  path: '/checkouts',
  time: 'own',
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
    {
      title: 'Domain',
      cell: ({ id, domain }: CheckoutSession) => domainLink(`${base}/checkouts/${id}`, domain),
    },
    { title: 'Status', cell: ({ status }) => statusBadge(status) },
    { ...numberColumn('Price'), cell: ({ price }) => money(price) },
    {
      title: 'Buyer',
      cell: ({ buyerEmail }) => emailText(buyerEmail),
    },
    { title: 'Your reference', cell: ({ clientReference }) => clientReference ?? emptyValue() },
    { title: 'Last decline', cell: ({ lastDecline }) => lastDecline && humanize(lastDecline) },
    {
      title: 'Order',
      cell: ({ orderId }) => (orderId ? link(`${base}/orders/${orderId}`, 'Order') : emptyValue()),
    },
    { title: 'Created', cell: ({ createdAt }) => timestamp(createdAt, now) },
    { title: 'Expires', cell: ({ expiresAt }) => timestamp(expiresAt, now) },
  ],
  empty: 'No sessions match. Create a payment page for a domain with POST /v1/checkout-session.',
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

/** One session: what is sold, how far the buyer got, and related objects. */
export const checkoutPage = sitePage({
  path: '/checkouts/:session',
  time: 'own',
  input: Type.Object({ session: Type.String({ maxLength: 64 }) }),
  async show(context, { session: id }) {
    const { owner, base, now } = context;
    const session = await readSession(context, owner, id);
    const { orderId, brokerageCaseId, status } = session;
    return {
      title: unicodeOf(session.domain),
      section: 'checkouts',
      content: html`<p>${link(`${base}/checkouts`, 'All checkout sessions')}</p>
${descriptionList([
  ['Status', statusBadge(status)],
  asciiFact(session.domain),
  ['Price', money(session.price)],
  ['Your commission', percent(session.commissionBps)],
  ['Order', orderId && link(`${base}/orders/${orderId}`, 'Order')],
  ['Brokerage case', brokerageCaseId && link(`${base}/brokerage/${brokerageCaseId}`, 'Case')],
  ['Last decline', session.lastDecline && humanize(session.lastDecline)],
  ['Buyer', session.buyerName && html`<bdi>${session.buyerName}</bdi>`],
  ['Buyer’s email address', session.buyerEmail],
  ['Country', session.buyerCountry],
  ['Your reference', session.clientReference],
  ['Referral code', session.referralCode && html`<code>${session.referralCode}</code>`],
  ['From a quote', session.quoteId !== null && 'Yes'],
  ['Created', timestamp(session.createdAt, now)],
  ['Changed', timestamp(session.updatedAt, now)],
  ['Price valid until', status === 'open' && timestamp(session.priceLockedUntil, now)],
  ['Expires', status === 'open' && timestamp(session.expiresAt, now)],
  ['Buyers return to', session.returnUrl && html`<span class="id">${session.returnUrl}</span>`],
  ['After canceling to', session.cancelUrl && html`<span class="id">${session.cancelUrl}</span>`],
  ['Session', html`<span class="id">${session.id}</span>`],
])}`,
    };
  },
});

/** The partner's brokerage cases. */
export const casesPage = siteList({
  path: '/brokerage',
  time: 'own',
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
      cell: ({ id, domain }: BrokerageCase) => domainLink(`${base}/brokerage/${id}`, domain),
    },
    { title: 'Status', cell: ({ status }) => statusBadge(status) },
    { ...numberColumn('Budget'), cell: ({ budget }) => money(budget) },
    { ...numberColumn('Latest offer'), cell: latestOffer },
    { ...numberColumn('Your commission'), cell: ({ commission }) => money(commission) },
    { title: 'Buyer', cell: ({ buyerEmail }) => emailText(buyerEmail) },
    { title: 'Opened', cell: ({ createdAt }) => timestamp(createdAt, now) },
  ],
  empty: 'No cases match. To have us buy a domain that is not listed, use POST /v1/brokerage.',
  more: 'Earlier cases',
  csv: {
    id: ({ id }) => id,
    domain: ({ domain }) => domain,
    status: ({ status }) => status,
    tier: ({ tier }) => tier,
    budget_cents: ({ budget }) => budget.amount,
    latest_offer_cents: ({ latestOffer: offer }) => offer?.amount ?? null,
    currency: ({ budget }) => budget.currency,
    buyer_email: ({ buyerEmail }) => buyerEmail,
    created_at: ({ createdAt }) => createdAt.toISOString(),
  },
});

/** One case with its history. */
export const casePage = sitePage({
  path: '/brokerage/:case',
  time: 'own',
  input: Type.Object({ case: Type.String({ maxLength: 64 }) }),
  async show(context, { case: id }) {
    const { owner, base, now } = context;
    const { found, timeline } = await getCase(context, owner, id);
    return {
      title: unicodeOf(found.domain),
      section: 'brokerage',
      content: html`${descriptionList([
        ['Status', statusBadge(found.status)],
        asciiFact(found.domain),
        ['Tier', humanize(found.tier)],
        ['Budget', money(found.budget)],
        ['Latest offer', latestOffer(found)],
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
