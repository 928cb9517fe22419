import { Type } from 'typebox';
import { readPartnerNames } from '../../../../shared/people/partners/read-partners.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import {
  CASE_MOVES,
  CASE_STATUSES,
  type CaseMoveName,
  type CaseStatus,
} from '../../../../shared/sales/brokerage/brokerage-case.ts';
import { getCaseById, listCasesForOps } from '../../../../shared/sales/brokerage/read-cases.ts';
import { filterForm } from '../../../pages/kit/form.ts';
import { humanize, money, timestamp } from '../../../pages/kit/format.ts';
import { descriptionList, link, section } from '../../../pages/kit/page-parts.ts';
import { numberColumn, table } from '../../../pages/kit/table.ts';
import type { ActionForm } from '../action-forms.ts';
import { actionLink, actionRow } from '../action-links.ts';
import { consolePage, IdField, requireId, statusFilter } from '../console-page.ts';
import { auditPath, casePath, orderPath, partnerPath } from '../console-paths.ts';
import { environmentTag, statusBadge } from '../status-badge.ts';

const SHOWN = 100;

/** Open cases, the oldest first; or those in one status. */
export const brokeragePage = consolePage({
  path: '/brokerage',
  input: Type.Object({ status: Type.Optional(Type.Enum([...CASE_STATUSES])) }),
  async show(context, { status = null }) {
    const cases = await listCasesForOps(context, status, SHOWN);
    const names = await readPartnerNames(
      context,
      cases.map(({ partnerId }) => partnerId),
    );
    return {
      title: 'Brokerage cases',
      section: 'brokerage',
      content: html`${filterForm('/ops/brokerage', [statusFilter(CASE_STATUSES, status, 'All open')])}
${table(
  status === null ? 'Open cases, the oldest first' : `Cases: ${humanize(status)}`,
  [
    'Domain',
    'Status',
    'Tier',
    numberColumn('Budget'),
    numberColumn('Latest offer'),
    'Buyer',
    'Partner',
    'Opened',
  ],
  cases.map((each) => [
    html`${link(casePath(each.id), each.domain)} ${environmentTag(each.environment)}`,
    statusBadge(each.status),
    humanize(each.tier),
    money(each.budget),
    money(each.latestOffer),
    each.buyerEmail,
    link(partnerPath(each.partnerId), names.get(each.partnerId) ?? each.partnerId),
    timestamp(each.createdAt, context.now),
  ]),
  status === null ? 'No open cases.' : 'No cases with this status.',
)}
${cases.length === SHOWN && html`<p class="intro">Showing the first ${SHOWN}.</p>`}`,
    };
  },
});

/** One case with its history and the moves that it can make. */
export const brokerageCasePage = consolePage({
  path: '/brokerage/:case',
  input: Type.Object({ case: IdField }),
  async show(context, { case: id }) {
    requireId('brokerageCase', id, 'No brokerage case has this id.');
    const { found, timeline } = await getCaseById(context, id);
    const names = await readPartnerNames(context, [found.partnerId]);
    const { now } = context;
    return {
      title: found.domain,
      section: 'brokerage',
      content: html`${actionRow(moveLinks(found.id, found.status))}
${descriptionList([
  ['Status', statusBadge(found.status)],
  ['Environment', environmentTag(found.environment)],
  ['Tier', humanize(found.tier)],
  ['Budget', money(found.budget)],
  ['Latest offer', money(found.latestOffer)],
  ['Deal price', found.dealPrice && money(found.dealPrice)],
  ['Partner’s commission', found.commission && money(found.commission)],
  ['Order', found.orderId && link(orderPath(found.orderId), 'Order')],
  ['Partner', link(partnerPath(found.partnerId), names.get(found.partnerId) ?? found.partnerId)],
  ['Buyer', found.buyerEmail],
  ['Opened', timestamp(found.createdAt, now)],
  ['Closed', found.closedAt && timestamp(found.closedAt, now)],
  ['Case', html`<span class="id">${found.id}</span>`],
])}
${section(
  'Timeline',
  table(
    'Timeline',
    ['When', 'What', 'Status', 'By', numberColumn('Amount')],
    timeline.map((entry) => [
      timestamp(entry.at, now),
      humanize(entry.event),
      statusBadge(entry.status),
      humanize(entry.by),
      money(entry.amount),
    ]),
    'No events yet.',
  ),
)}
<p><a href="${auditPath(id)}">Audit trail of this case</a></p>`,
    };
  },
});

/** The button of each move. */
const MOVES: Readonly<Record<CaseMoveName, Pick<ActionForm, 'tone'> & { text: string }>> = {
  contact_owner: { text: 'Start contacting the owner' },
  negotiate: { text: 'Record an offer' },
  agree: { text: 'Record the agreement' },
  complete: { text: 'Record the deal', tone: 'primary' },
  close_no_deal: { text: 'Close without a deal', tone: 'danger' },
  cancel: { text: 'Cancel', tone: 'danger' },
};

function moveLinks(id: string, status: CaseStatus): Markup[] {
  const names = Object.keys(CASE_MOVES) as CaseMoveName[];
  return names
    .filter((name) => (CASE_MOVES[name].from as readonly CaseStatus[]).includes(status))
    .map((name) =>
      actionLink({
        form: 'brokerage-move',
        ...MOVES[name],
        given: { case: id, to: CASE_MOVES[name].to },
      }),
    );
}
