import { Type } from 'typebox';
import type { PaymentStatus } from '../../../../shared/money/payments/payment.ts';
import { html } from '../../../../shared/platform/html.ts';
import { Money } from '../../../../shared/platform/money.ts';
import { listAllPayments } from '../../../../shared/sales/checkout/console-payments.ts';
import { statusFilter } from '../../../pages/kit/form.ts';
import { humanize, money, timestamp } from '../../../pages/kit/format.ts';
import { emptyValue, link } from '../../../pages/kit/page-parts.ts';
import { environmentTag, statusBadge } from '../../../pages/kit/status-badge.ts';
import { numberColumn } from '../../../pages/kit/table.ts';
import { EnvironmentFilter, environmentFilter } from '../console-page.ts';
import { orderPath, partnerPath } from '../console-paths.ts';
import { listInRealTime } from '../list-page.ts';

const STATUSES = [
  'created',
  'requires_confirmation',
  'pending',
  'succeeded',
  'failed',
  'refund_pending',
  'refunded',
] as const satisfies readonly PaymentStatus[];

/** What buyers and owners paid, or tried to, on our payment pages. */
export const paymentsPage = listInRealTime({
  path: '/payments',
  title: 'Payments',
  section: 'payments',
  filters: {
    status: Type.Optional(Type.Enum([...STATUSES])),
    environment: EnvironmentFilter,
  },
  sorts: ['newest', 'oldest'],
  read: (context, { status = null, environment = null }, page) =>
    listAllPayments(context, { status, environment }, page),
  form: ({ status = null, environment = null }) => ({
    fields: [statusFilter(STATUSES, status), environmentFilter(environment)],
  }),
  dates: 'Made',
  intro: () => 'Of hosted checkout and renewals. Partners that collect themselves have none here.',
  caption: 'Payments',
  columns: () => [
    {
      title: 'Domain',
      cell: ({ orderId, domain, environment }) =>
        html`${orderId ? link(orderPath(orderId), domain) : domain} ${environmentTag(environment)}`,
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
