import { Type } from 'typebox';
import { listRepayments } from '../../../../shared/money/payments/repay-buyer.ts';
import type { Repayment } from '../../../../shared/money/payments/repayment.ts';
import { readPartnerNames } from '../../../../shared/people/partners/read-partners.ts';
import type { Payout } from '../../../../shared/settlement/payouts/payout.ts';
import {
  listPayoutsByStatus,
  PAYOUT_LISTS,
  type PayoutList,
} from '../../../../shared/settlement/payouts/read-payouts.ts';
import { type ActionLink, actionLink, table, tabs } from '../../../pages/kit/components.ts';
import {
  badge,
  emptyValue,
  environmentTag,
  humanize,
  link,
  money,
  orderPath,
  partnerPath,
  pathWith,
  settlementPath,
  timestamp,
} from '../../../pages/kit/format.ts';
import { html, type Markup } from '../../../pages/kit/html.ts';
import { consolePage } from '../console-page.ts';

const SHOWN = 100;

/** Payouts by status, the oldest first. */
export const payoutsPage = consolePage({
  path: '/payouts',
  input: Type.Object({ status: Type.Enum([...PAYOUT_LISTS], { default: 'pending' }) }),
  async show(context, { status }) {
    const payouts = await listPayoutsByStatus(context, status, { partnerId: null, limit: SHOWN });
    const names = await readPartnerNames(
      context,
      payouts.map(({ partnerId }) => partnerId),
    );
    const back = pathWith('/ops/payouts', { status });
    return {
      title: 'Payouts',
      section: 'payouts',
      content: html`${payoutTabs(pathWith('/ops/payouts', { status }))}
${table(
  `Payouts, ${status}, the oldest first`,
  [
    'Partner',
    { title: 'Amount', number: true },
    'For',
    'Status',
    'Reference',
    'Settlement',
    'Made',
    { title: 'Actions', quiet: true },
  ],
  payouts.map((payout) => [
    html`${link(partnerPath(payout.partnerId), names.get(payout.partnerId) ?? payout.partnerId)} ${environmentTag(payout.environment)}`,
    money(payout.amount),
    humanize(payout.source),
    html`${badge(status)}${payout.failureReason && html`<span class="sub">${payout.failureReason}</span>`}`,
    payout.reference ?? emptyValue(),
    payout.settlementId ? link(settlementPath(payout.settlementId), 'Statement') : emptyValue(),
    timestamp(payout.createdAt, context.now),
    payoutActions(payout, status, back).map(actionLink),
  ]),
  status === 'pending' ? 'No payout waits.' : 'There is none.',
)}
${payouts.length === SHOWN && html`<p class="intro">The first ${SHOWN} are shown.</p>`}`,
    };
  },
});

const REPAYMENTS = '/ops/repayments';

/** Orders taken back whose price was paid outside of the service, the oldest first. */
export const repaymentsPage = consolePage({
  path: '/repayments',
  input: Type.Object({}),
  async show(context) {
    const owed = await listRepayments(context, SHOWN);
    return {
      title: 'Buyers to pay back',
      section: 'payouts',
      content: html`${payoutTabs(REPAYMENTS)}
${repaymentsTable(owed, context.now)}
${owed.length === SHOWN && html`<p class="intro">The first ${SHOWN} are shown.</p>`}`,
    };
  },
});

/** The lists of money that we have to send, `path` being the one that is shown. */
function payoutTabs(path: string): Markup {
  const payouts = PAYOUT_LISTS.map((status) => ({
    text: humanize(status),
    href: pathWith('/ops/payouts', { status }),
  }));
  const all = [...payouts, { text: 'Buyers to pay back', href: REPAYMENTS }];
  return tabs(
    'Payouts by status',
    all.map((each) => ({ ...each, current: each.href === path })),
  );
}

function repaymentsTable(owed: readonly Repayment[], now: Date): Markup {
  return table(
    'Money that goes back to buyers by hand',
    [
      'Order',
      { title: 'Amount', number: true },
      'Buyer',
      'Taken back',
      { title: 'Actions', quiet: true },
    ],
    owed.map((each) => [
      html`${link(orderPath(each.orderId), each.domain)} ${environmentTag(each.environment)}`,
      money(each.amount),
      each.buyerEmail,
      timestamp(each.createdAt, now),
      actionLink({
        form: 'repayment-mark-paid',
        text: 'Mark paid',
        about: each.domain,
        given: { order: each.orderId },
        back: REPAYMENTS,
      }),
    ]),
    'No buyer waits for money.',
  );
}

/** What can come of a payout; one that is held is not paid. */
function payoutActions({ id }: Payout, list: PayoutList, back: string): ActionLink[] {
  const link = { about: id, given: { id }, back };
  const paid: ActionLink = { ...link, form: 'payout-mark-paid', text: 'Mark paid' };
  const failed: ActionLink = {
    ...link,
    form: 'payout-mark-failed',
    text: 'Mark failed',
    tone: 'danger',
  };
  const reverse: ActionLink = { ...link, form: 'payout-reverse', text: 'Reverse', tone: 'danger' };
  return { pending: [paid, failed], held: [failed], paid: [reverse], failed: [] }[list];
}
