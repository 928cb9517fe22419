import { Type } from 'typebox';
import { DISPUTE_STATUSES, evidenceUrl } from '../../../../shared/money/payments/dispute.ts';
import { PAYMENT_STATUSES } from '../../../../shared/money/payments/payment.ts';
import { listDisputes } from '../../../../shared/money/payments/record-dispute.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { Money } from '../../../../shared/platform/money.ts';
import { listAllPayments } from '../../../../shared/sales/checkout/console-payments.ts';
import {
  listUndoneRenewals,
  type UndoneRenewal,
} from '../../../../shared/sales/renewals/undone-renewals.ts';
import { statusFilter } from '../../../pages/kit/form.ts';
import { humanize, money, timestamp } from '../../../pages/kit/format.ts';
import {
  badge,
  domainCell,
  domainLink,
  emptyValue,
  link,
  tabs,
} from '../../../pages/kit/page-parts.ts';
import { environmentTag, statusBadge } from '../../../pages/kit/status-badge.ts';
import { ACTIONS, numberColumn } from '../../../pages/kit/table.ts';
import { offeredLinks } from '../action-links.ts';
import { EnvironmentFilter, environmentFilter } from '../console-page.ts';
import {
  DISPUTES_PATH,
  orderPath,
  PAYMENTS_PATH,
  partnerPath,
  personPath,
  RENEWALS_PATH,
} from '../console-paths.ts';
import { RENEWAL_FORMS } from '../forms/renewal-forms.ts';
import { listInRealTime } from '../list-page.ts';

const views = (path: string): Markup =>
  tabs(
    'Payments',
    [
      { text: 'Payments', href: PAYMENTS_PATH },
      { text: 'Disputes', href: DISPUTES_PATH },
      { text: 'Renewals to finish', href: RENEWALS_PATH },
    ].map((each) => ({ ...each, current: each.href === path })),
  );

/** Payments of buyers and owners on our payment pages, including attempts. */
export const paymentsPage = listInRealTime({
  path: '/payments',
  title: 'Payments',
  section: 'payments',
  filters: {
    status: Type.Optional(Type.Enum([...PAYMENT_STATUSES])),
    environment: EnvironmentFilter,
  },
  sorts: ['newest', 'oldest'],
  read: (context, { status = null, environment = null }, page) =>
    listAllPayments(context, { status, environment }, page),
  above: () => views(PAYMENTS_PATH),
  form: ({ status = null, environment = null }) => ({
    fields: [statusFilter(PAYMENT_STATUSES, status), environmentFilter(environment)],
  }),
  dates: 'Made',
  intro: () =>
    'For hosted checkout and renewals. Partners that collect payments themselves have none here.',
  caption: 'Payments',
  columns: () => [
    {
      title: 'Domain',
      cell: ({ orderId, domain, environment }) =>
        html`${orderId ? domainLink(orderPath(orderId), domain) : domainCell(domain)} ${environmentTag(environment)}`,
    },
    {
      title: 'Status',
      cell: ({ status, declineCode }) =>
        html`${statusBadge(status)}${declineCode && html`<span class="sub">${humanize(declineCode)}</span>`}`,
    },
    {
      ...numberColumn('Amount'),
      cell: ({ amountCents, currency }) => money(new Money(amountCents, currency)),
    },
    { ...numberColumn('Attempt'), cell: ({ attempt }) => attempt },
    {
      title: 'Provider',
      cell: ({ provider, providerReference }) =>
        html`${humanize(provider)}<span class="sub id">${providerReference ?? emptyValue()}</span>`,
    },
    {
      title: 'Partner or owner',
      cell: ({ partnerId, partnerName, userId }) =>
        partnerId === null
          ? html`Owner<span class="sub id">${userId}</span>`
          : link(partnerPath(partnerId), partnerName ?? partnerId),
    },
    {
      title: 'Made',
      cell: ({ createdAt }, { now }) => timestamp(createdAt, now),
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
  ],
  empty: 'No payments match. Change the filter.',
  more: 'More payments',
  csv: {
    id: ({ id }) => id,
    domain: ({ domain }) => domain,
    environment: ({ environment }) => environment,
    status: ({ status }) => status,
    decline_code: ({ declineCode }) => declineCode,
    attempt: ({ attempt }) => attempt,
    amount_cents: ({ amountCents }) => amountCents,
    currency: ({ currency }) => currency,
    provider: ({ provider }) => provider,
    provider_reference: ({ providerReference }) => providerReference,
    order_id: ({ orderId }) => orderId,
    partner_id: ({ partnerId }) => partnerId,
    user_id: ({ userId }) => userId,
    created_at: ({ createdAt }) => createdAt.toISOString(),
  },
});

/** Payments that buyers dispute at their bank. */
export const disputesPage = listInRealTime({
  path: '/disputes',
  title: 'Disputes',
  section: 'payments',
  filters: {
    status: Type.Optional(Type.Enum([...DISPUTE_STATUSES])),
    environment: EnvironmentFilter,
  },
  sorts: ['oldest', 'newest'],
  read: (context, { status = null, environment = null }, page) =>
    listDisputes(context, { status, environment }, page),
  above: () => views(DISPUTES_PATH),
  form: ({ status = null, environment = null }) => ({
    fields: [
      statusFilter(DISPUTE_STATUSES, status, 'All that are open'),
      environmentFilter(environment),
    ],
  }),
  dates: 'Opened',
  intro: ({ status }) =>
    status === 'lost'
      ? 'The bank returned these amounts to the buyers. An order is taken back only if its whole price was lost; otherwise, the marketplace bears the loss.'
      : 'Answer in Stripe’s dashboard before the evidence is due: a dispute without an answer is lost. Payouts of these orders are held until then.',
  caption: ({ status }) => (status ? `Disputes: ${humanize(status)}` : 'Open disputes'),
  columns: () => [
    {
      title: 'Domain',
      cell: ({ orderId, domain, environment }) =>
        html`${orderId ? domainLink(orderPath(orderId), domain ?? orderId) : emptyValue()} ${environmentTag(environment)}`,
    },
    { title: 'Status', cell: ({ status }) => statusBadge(status) },
    { title: 'Reason', cell: ({ reason }) => humanize(reason) },
    { ...numberColumn('Amount'), cell: ({ amount }) => money(amount) },
    {
      title: 'Evidence until',
      cell: ({ evidenceDueAt }, { now }) =>
        evidenceDueAt ? timestamp(evidenceDueAt, now) : emptyValue(),
    },
    {
      title: 'Evidence',
      cell: (dispute) =>
        link(evidenceUrl(dispute), dispute.closedAt ? 'View at Stripe' : 'Send evidence'),
    },
    {
      title: 'Opened',
      cell: ({ openedAt }, { now }) => timestamp(openedAt, now),
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
  ],
  empty: 'No disputes found.',
  more: 'More disputes',
  csv: {
    id: ({ id }) => id,
    order_id: ({ orderId }) => orderId,
    domain: ({ domain }) => domain,
    environment: ({ environment }) => environment,
    partner_id: ({ partnerId }) => partnerId,
    status: ({ status }) => status,
    reason: ({ reason }) => reason,
    amount_cents: ({ amount }) => amount.amount,
    currency: ({ amount }) => amount.currency,
    evidence_due_at: ({ evidenceDueAt }) => evidenceDueAt?.toISOString() ?? null,
    evidence_url: (dispute) => evidenceUrl(dispute),
    opened_at: ({ openedAt }) => openedAt.toISOString(),
  },
});

const STATES: Readonly<Record<UndoneRenewal['state'], Markup>> = {
  trying: badge('wait', 'Being tried'),
  given_up: badge('bad', 'Given up'),
  waiting: badge('wait', 'Waiting'),
};

/** Renewals that owners paid for and the registry has not completed. */
export const renewalsPage = listInRealTime({
  path: '/renewals',
  title: 'Renewals to finish',
  section: 'payments',
  filters: {},
  sorts: ['oldest', 'newest'],
  read: (context, _filters, page) => listUndoneRenewals(context, page),
  above: () => views(RENEWALS_PATH),
  form: () => ({ fields: [] }),
  dates: 'Begun',
  intro: () =>
    'Paid but not done. If we gave up, the registry did not answer for a day, and the domain may have been renewed: trying again finds out, and never renews twice. Waiting renewals have a payment under review.',
  caption: 'Renewals to finish',
  columns: (_filters, here) => [
    {
      title: 'Domain',
      cell: ({ id, domain, kind }) =>
        html`${domainCell(domain)}<span class="sub">${humanize(kind)} <span class="id">${id}</span></span>`,
    },
    {
      title: 'State',
      cell: ({ state, reason, nextTryAt }, { now }) =>
        html`${STATES[state]}${reason && html`<span class="sub">${reason}</span>`}${
          nextTryAt && html`<span class="sub">Next try ${timestamp(nextTryAt, now)}</span>`
        }`,
    },
    { ...numberColumn('Attempts'), cell: ({ attempts }) => attempts },
    { ...numberColumn('Amount'), cell: ({ price }) => money(price) },
    { title: 'Owner', cell: ({ userId, email }) => link(personPath(userId), email) },
    {
      title: 'Paid',
      cell: ({ paidAt }, { now }) => timestamp(paidAt, now),
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
    {
      ...ACTIONS,
      cell: (renewal, context) =>
        offeredLinks(context, RENEWAL_FORMS, renewal, {
          about: renewal.domain,
          given: { renewal: renewal.id },
          back: here,
        }),
    },
  ],
  empty: 'Every paid renewal is done.',
  more: 'More renewals',
  csv: {
    id: ({ id }) => id,
    domain: ({ domain }) => domain,
    kind: ({ kind }) => kind,
    years: ({ years }) => years,
    state: ({ state }) => state,
    reason: ({ reason }) => reason,
    attempts: ({ attempts }) => attempts,
    amount_cents: ({ price }) => price.amount,
    currency: ({ price }) => price.currency,
    user_id: ({ userId }) => userId,
    paid_at: ({ paidAt }) => paidAt.toISOString(),
  },
});
