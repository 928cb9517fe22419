import { Type } from 'typebox';
import { listRepayments } from '../../../../shared/money/payments/repay-buyer.ts';
import type { Repayment } from '../../../../shared/money/payments/repayment.ts';
import { readPartnerNames } from '../../../../shared/people/partners/read-partners.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import {
  listPayoutsByStatus,
  PAYOUT_LISTS,
} from '../../../../shared/settlement/payouts/read-payouts.ts';
import { humanize, money, pathWith, timestamp } from '../../../pages/kit/format.ts';
import { emptyValue, link, tabs } from '../../../pages/kit/page-parts.ts';
import { ACTIONS, numberColumn, table } from '../../../pages/kit/table.ts';
import { PAYOUT_FORMS } from '../action-forms.ts';
import { actionLink, offeredLinks } from '../action-links.ts';
import { consolePage } from '../console-page.ts';
import { orderPath, partnerPath, REPAYMENTS_PATH, settlementPath } from '../console-paths.ts';
import { environmentTag, statusBadge } from '../status-badge.ts';

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
  ['Partner', numberColumn('Amount'), 'For', 'Status', 'Reference', 'Settlement', 'Made', ACTIONS],
  payouts.map((payout) => [
    html`${link(partnerPath(payout.partnerId), names.get(payout.partnerId) ?? payout.partnerId)} ${environmentTag(payout.environment)}`,
    money(payout.amount),
    humanize(payout.source),
    html`${statusBadge(status)}${payout.failureReason && html`<span class="sub">${payout.failureReason}</span>`}`,
    payout.reference ?? emptyValue(),
    payout.settlementId ? link(settlementPath(payout.settlementId), 'Statement') : emptyValue(),
    timestamp(payout.createdAt, context.now),
    offeredLinks(PAYOUT_FORMS, status, { given: { id: payout.id }, about: payout.id, back }),
  ]),
  status === 'pending' ? 'No payouts to make.' : 'No payouts with this status.',
)}
${payouts.length === SHOWN && html`<p class="intro">Showing the first ${SHOWN}.</p>`}`,
    };
  },
});

/** Reversed orders whose price was paid outside of the service, the oldest first. */
export const repaymentsPage = consolePage({
  path: '/repayments',
  input: Type.Object({}),
  async show(context) {
    const owed = await listRepayments(context, SHOWN);
    return {
      title: 'Buyers to pay back',
      section: 'payouts',
      content: html`${payoutTabs(REPAYMENTS_PATH)}
${repaymentsTable(owed, context.now)}
${owed.length === SHOWN && html`<p class="intro">Showing the first ${SHOWN}.</p>`}`,
    };
  },
});

/** The lists of money that we have to send, `path` being the one that is shown. */
function payoutTabs(path: string): Markup {
  const payouts = PAYOUT_LISTS.map((status) => ({
    text: humanize(status),
    href: pathWith('/ops/payouts', { status }),
  }));
  const all = [...payouts, { text: 'Buyers to pay back', href: REPAYMENTS_PATH }];
  return tabs(
    'Payouts by status',
    all.map((each) => ({ ...each, current: each.href === path })),
  );
}

function repaymentsTable(owed: readonly Repayment[], now: Date): Markup {
  return table(
    'Buyers to pay back by hand',
    ['Order', numberColumn('Amount'), 'Buyer', 'Reversed', ACTIONS],
    owed.map((each) => [
      html`${link(orderPath(each.orderId), each.domain)} ${environmentTag(each.environment)}`,
      money(each.amount),
      each.buyerEmail,
      timestamp(each.createdAt, now),
      actionLink({
        form: 'repayment-mark-paid',
        about: each.domain,
        given: { order: each.orderId },
        back: REPAYMENTS_PATH,
      }),
    ]),
    'No buyers to pay back.',
  );
}
