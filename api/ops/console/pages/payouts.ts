import { Type } from 'typebox';
import { readPartnerNames } from '../../../../shared/partners/list-partners.ts';
import type { Payout } from '../../../../shared/payouts/payout.ts';
import { PAYOUT_STATUSES } from '../../../../shared/payouts/payout-states.ts';
import { listPayoutsByStatus } from '../../../../shared/payouts/read-payouts.ts';
import { html } from '../../../pages/html.ts';
import { consolePage } from '../console-page.ts';
import {
  badge,
  environmentTag,
  link,
  money,
  none,
  partnerPath,
  pathWith,
  settlementPath,
  when,
  words,
} from '../format.ts';
import { type ActLink, act, table, tabs } from '../parts.ts';

const SHOWN = 100;

/** Payouts by status, the oldest first. */
export const payoutsPage = consolePage({
  path: '/payouts',
  input: Type.Object({ status: Type.Enum([...PAYOUT_STATUSES], { default: 'pending' }) }),
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
      content: html`${tabs(
        'Payouts by status',
        PAYOUT_STATUSES.map((each) => ({
          text: words(each),
          href: pathWith('/ops/payouts', { status: each }),
          current: each === status,
        })),
      )}
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
    money(payout.amountCents, payout.currency),
    words(payout.source),
    html`${badge(payout.status)}${payout.failureReason && html`<span class="sub">${payout.failureReason}</span>`}`,
    payout.reference ?? none(),
    payout.settlementId ? link(settlementPath(payout.settlementId), 'Statement') : none(),
    when(payout.createdAt, context.now),
    payout.status === 'pending' ? endings(payout, back).map(act) : '',
  ]),
  status === 'pending' ? 'No payout waits.' : 'There is none.',
)}
${payouts.length === SHOWN && html`<p class="intro">The first ${SHOWN} are shown.</p>`}`,
    };
  },
});

function endings({ id }: Payout, back: string): ActLink[] {
  const given = { id };
  return [
    { form: 'payout-mark-paid', text: 'Mark paid', about: id, given, back },
    { form: 'payout-mark-failed', text: 'Mark failed', about: id, given, back, tone: 'danger' },
  ];
}
