import { Type } from 'typebox';
import { listRepayments } from '../../../../shared/money/payments/repay-buyer.ts';
import type { Repayment } from '../../../../shared/money/payments/repayment.ts';
import { readPartnerNames } from '../../../../shared/people/partners/read-partners.ts';
import { readUserEmails } from '../../../../shared/people/users/user-account.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { needsApproval, type Payout } from '../../../../shared/settlement/payouts/payout.ts';
import { listPayoutFiles } from '../../../../shared/settlement/payouts/payout-files.ts';
import {
  listPayoutsByStatus,
  type OpsPayout,
  PAYOUT_LISTS,
  type PayoutList,
} from '../../../../shared/settlement/payouts/read-payouts.ts';
import { emailText, humanize, money, pathWith, timestamp } from '../../../pages/kit/format.ts';
import {
  documentLinks,
  domainCell,
  domainLink,
  emptyValue,
  link,
  tabs,
} from '../../../pages/kit/page-parts.ts';
import { environmentTag, statusBadge } from '../../../pages/kit/status-badge.ts';
import { ACTIONS, numberColumn } from '../../../pages/kit/table.ts';
import { payoutDownloadFile } from '../../actions/payout-actions.ts';
import { mayRun } from '../../ops-routes.ts';
import { actionLink, actionRow, offeredLinks } from '../action-links.ts';
import { EnvironmentFilter, environmentFilter, type PageContext } from '../console-page.ts';
import {
  documentPath,
  orderPath,
  PAYOUT_FILES_PATH,
  partnerPath,
  REPAYMENTS_PATH,
  settlementPath,
} from '../console-paths.ts';
import { PAYOUT_FORMS, type PayoutState } from '../forms/payout-forms.ts';
import { listInOwnTime, listInRealTime } from '../list-page.ts';

function stateOf(context: PageContext, list: PayoutList, payout: OpsPayout): PayoutState {
  const { isConnected } = payout;
  const isSent = payout.sentTo !== null;
  if (!needsApproval(context.config, payout)) return { list, isSent, isConnected };
  const { approvedBy } = payout;
  const approval =
    approvedBy === null ? 'missing' : approvedBy === context.actor ? 'by viewer' : 'by another';
  return { list, approval, isSent, isConnected };
}

function approvalOf({ config }: PageContext, payout: Payout): Markup | false {
  if (payout.status !== 'pending' || !needsApproval(config, payout)) return false;
  return html`<span class="sub">${payout.approvedBy === null ? 'Needs approval' : 'Approved; another person pays'}</span>`;
}

/** Payouts by status. */
export const payoutsPage = listInOwnTime({
  path: '/payouts',
  title: 'Payouts',
  section: 'payouts',
  filters: {
    status: Type.Enum([...PAYOUT_LISTS], { default: 'pending' }),
    environment: EnvironmentFilter,
  },
  sorts: ['oldest', 'newest'],
  async read(context, { status, environment = null }, page) {
    const filter = { partnerId: null, environment };
    const { rows, next } = await listPayoutsByStatus(context, status, filter, page);
    const names = await readPartnerNames(
      context,
      rows.map(({ partnerId }) => partnerId),
    );
    const named = rows.map((payout) => ({
      ...payout,
      partner: names.get(payout.partnerId) ?? payout.partnerId,
    }));
    return { rows: named, next };
  },
  above: ({ status }) => payoutTabs(pathWith('/ops/payouts', { status })),
  form: ({ status, environment = null }) => ({
    fields: [environmentFilter(environment)],
    hidden: { status },
  }),
  dates: 'Made',
  caption: ({ status }) => `Payouts, ${status}`,
  columns: ({ status }, here) => [
    {
      title: 'Partner',
      cell: ({ partnerId, partner, environment }) =>
        html`${link(partnerPath(partnerId), partner)} ${environmentTag(environment)}`,
    },
    { ...numberColumn('Amount'), cell: ({ amount }) => money(amount) },
    { title: 'For', cell: ({ source }) => humanize(source) },
    {
      title: 'Status',
      cell: (payout, context) =>
        html`${statusBadge(status)}${approvalOf(context, payout)}${payout.status === 'pending' && payout.sentTo && html`<span class="sub">Stripe was asked to send it</span>`}${payout.failureReason && html`<span class="sub">${payout.failureReason}</span>`}`,
    },
    { title: 'Reference', cell: ({ reference }) => reference ?? emptyValue() },
    {
      title: 'Settlement',
      cell: ({ settlementId }) =>
        settlementId ? link(settlementPath(settlementId), 'Statement') : emptyValue(),
    },
    {
      title: 'Documents',
      cell: ({ documents }) =>
        documentLinks(documents, (_kind, id) => documentPath(id)) || emptyValue(),
    },
    {
      title: 'Made',
      cell: ({ createdAt }, { now }) => timestamp(createdAt, now),
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
    {
      ...ACTIONS,
      cell: (payout, context) =>
        offeredLinks(context, PAYOUT_FORMS, stateOf(context, status, payout), {
          given: { id: payout.id },
          about: payout.id,
          back: here,
        }),
    },
  ],
  empty: ({ status }) =>
    status === 'pending' ? 'No payouts to make.' : 'No payouts with this status.',
  more: 'More payouts',
  csv: {
    id: ({ id }) => id,
    partner_id: ({ partnerId }) => partnerId,
    partner: ({ partner }) => partner,
    environment: ({ environment }) => environment,
    source: ({ source }) => source,
    amount_cents: ({ amount }) => amount.amount,
    currency: ({ amount }) => amount.currency,
    status: ({ status }) => status,
    settlement_id: ({ settlementId }) => settlementId,
    reference: ({ reference }) => reference,
    created_at: ({ createdAt }) => createdAt.toISOString(),
  },
});

/** Buyers whose money the provider does not refund, or who paid outside the service. */
export const repaymentsPage = listInRealTime({
  path: '/repayments',
  title: 'Buyers to pay back',
  section: 'payouts',
  filters: { environment: EnvironmentFilter },
  sorts: ['oldest', 'newest'],
  read: (context, { environment = null }, page) => listRepayments(context, environment, page),
  above: () => payoutTabs(REPAYMENTS_PATH),
  form: ({ environment = null }) => ({ fields: [environmentFilter(environment)] }),
  dates: 'Reversed',
  caption: 'Buyers to pay back by hand',
  columns: (_filters, here) => [
    {
      title: 'Domain',
      cell: ({ orderId, domain, environment }) =>
        html`${orderId ? domainLink(orderPath(orderId), domain) : domainCell(domain)} ${environmentTag(environment)}`,
    },
    { title: 'For', cell: repaidFor },
    { ...numberColumn('Amount'), cell: ({ amount }) => money(amount) },
    {
      title: 'Buyer',
      cell: ({ buyerEmail }) => emailText(buyerEmail),
    },
    {
      title: 'Owed since',
      cell: ({ createdAt }, { now }) => timestamp(createdAt, now),
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
    {
      ...ACTIONS,
      cell: ({ id, domain }, context) =>
        actionLink(context, {
          form: 'repayment-mark-paid',
          about: domain,
          given: { order: id },
          back: here,
        }),
    },
  ],
  empty: 'No buyers to pay back.',
  more: 'More buyers',
  csv: {
    order_id: ({ orderId }) => orderId,
    payment_id: ({ paymentId }) => paymentId,
    renewal_id: ({ renewalId }) => renewalId,
    provider_reference: ({ providerReference }) => providerReference,
    domain: ({ domain }) => domain,
    environment: ({ environment }) => environment,
    partner_id: ({ partnerId }) => partnerId,
    amount_cents: ({ amount }) => amount.amount,
    currency: ({ amount }) => amount.currency,
    buyer_email: ({ buyerEmail }) => buyerEmail,
    created_at: ({ createdAt }) => createdAt.toISOString(),
  },
});

/** Returns what the buyer had paid for, with the references of a payment that has no order. */
function repaidFor({ orderId, renewalId, paymentId, providerReference }: Repayment): Markup {
  if (orderId !== null) return html`Order<span class="sub id">${orderId}</span>`;
  return html`${renewalId === null ? 'Payment without an order' : 'Renewal'}<span class="sub id">${paymentId}</span><span class="sub id">${providerReference}</span>`;
}

/** The files that instruct the bank to pay. */
export const payoutFilesPage = listInRealTime({
  path: '/payouts/files',
  title: 'Bank files',
  section: 'payouts',
  filters: {},
  sorts: ['newest', 'oldest'],
  async read(context, _filters, page) {
    const { rows, next } = await listPayoutFiles(context, page);
    const emails = await readUserEmails(
      context,
      rows.map(({ createdBy }) => createdBy),
    );
    return { rows: rows.map((file) => ({ ...file, maker: emails.get(file.createdBy) })), next };
  },
  above: (_filters, context) =>
    html`${payoutTabs(PAYOUT_FILES_PATH)}
${actionRow([actionLink(context, { form: 'payout-make-file', given: {} })])}`,
  form: () => ({ fields: [] }),
  dates: 'Made',
  caption: 'Bank files',
  columns: (_filters, here) => [
    {
      title: 'File',
      cell: ({ id }, { staff }) =>
        mayRun(payoutDownloadFile, staff.role)
          ? html`<a href="${PAYOUT_FILES_PATH}/${id}" download>${id}.xml</a>`
          : html`<span class="id">${id}</span>`,
    },
    { ...numberColumn('Payouts'), cell: ({ payouts }) => payouts },
    { ...numberColumn('Pending'), cell: ({ pending }) => pending },
    { ...numberColumn('Amount'), cell: ({ total }) => money(total) },
    { title: 'Made by', cell: ({ maker, createdBy }) => maker ?? createdBy },
    {
      title: 'Made',
      cell: ({ createdAt }, { now }) => timestamp(createdAt, now),
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
    {
      ...ACTIONS,
      cell: ({ id, pending }, context) =>
        pending > 0 &&
        actionLink(context, { form: 'payout-file-paid', about: id, given: { id }, back: here }),
    },
  ],
  empty: 'No bank files yet.',
  more: 'More files',
  csv: {
    id: ({ id }) => id,
    payouts: ({ payouts }) => payouts,
    pending: ({ pending }) => pending,
    amount_cents: ({ total }) => total.amount,
    currency: ({ total }) => total.currency,
    created_by: ({ createdBy }) => createdBy,
    created_at: ({ createdAt }) => createdAt.toISOString(),
  },
});

/** Returns the tabs of the lists of money that we have to send; `path` is the current one. */
function payoutTabs(path: string): Markup {
  const payouts = PAYOUT_LISTS.map((status) => ({
    text: humanize(status),
    href: pathWith('/ops/payouts', { status }),
  }));
  const all = [
    ...payouts,
    { text: 'Buyers to pay back', href: REPAYMENTS_PATH },
    { text: 'Bank files', href: PAYOUT_FILES_PATH },
  ];
  return tabs(
    'Payouts by status',
    all.map((each) => ({ ...each, current: each.href === path })),
  );
}
