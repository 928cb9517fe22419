import { Type } from 'typebox';
import { readPartnerNames } from '../../../../shared/people/partners/read-partners.ts';
import {
  CASE_MOVES,
  CASE_STATUSES,
  type CaseMoveName,
  type CaseStatus,
} from '../../../../shared/sales/brokerage/brokerage-case.ts';
import { getCaseById, listCasesForOps } from '../../../../shared/sales/brokerage/read-cases.ts';
import {
  type ActionLink,
  actionLinks,
  type Column,
  descriptionList,
  section,
  table,
} from '../../../pages/kit/components.ts';
import { filterForm, selectFilter } from '../../../pages/kit/form.ts';
import {
  auditPath,
  badge,
  environmentTag,
  humanize,
  link,
  money,
  orderPath,
  partnerPath,
  timestamp,
} from '../../../pages/kit/format.ts';
import { html } from '../../../pages/kit/html.ts';
import { consolePage, IdField, requireId } from '../console-page.ts';

const SHOWN = 100;
const figure = (title: string): Column => ({ title, number: true });

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
      content: html`${filterForm('/ops/brokerage', [selectFilter('status', 'Status', CASE_STATUSES, status, 'All open')])}
${table(
  status === null ? 'Open cases, the oldest first' : `Cases: ${humanize(status)}`,
  [
    'Domain',
    'Status',
    'Tier',
    figure('Budget'),
    figure('Latest offer'),
    'Buyer',
    'Partner',
    'Opened',
  ],
  cases.map((each) => [
    html`${link(`/ops/brokerage/${each.id}`, each.domain)} ${environmentTag(each.environment)}`,
    badge(each.status),
    humanize(each.tier),
    money(each.budget),
    money(each.latestOffer),
    each.buyerEmail,
    link(partnerPath(each.partnerId), names.get(each.partnerId) ?? each.partnerId),
    timestamp(each.createdAt, context.now),
  ]),
  status === null ? 'No case is open.' : 'No case is in this status.',
)}
${cases.length === SHOWN && html`<p class="intro">The first ${SHOWN} are shown.</p>`}`,
    };
  },
});

const MOVE_TEXT: Readonly<Record<CaseMoveName, string>> = {
  contact_owner: 'Contacting the owner',
  negotiate: 'Note an offer',
  agree: 'Agreed',
  complete: 'Record the deal',
  close_no_deal: 'No deal',
  cancel: 'Cancel',
};

/** One case with its story and the moves that it can make. */
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
      content: html`${actionLinks(movesOf(found.id, found.status))}
${descriptionList([
  ['Status', badge(found.status)],
  ['Environment', environmentTag(found.environment)],
  ['Tier', humanize(found.tier)],
  ['Budget', money(found.budget)],
  ['Latest offer', money(found.latestOffer)],
  ['Deal price', found.dealPrice && money(found.dealPrice)],
  ["Partner's cut", found.commission && money(found.commission)],
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
    ['When', 'What', 'Status', 'By', figure('Amount')],
    timeline.map((entry) => [
      timestamp(entry.at, now),
      humanize(entry.event),
      badge(entry.status),
      humanize(entry.by),
      money(entry.amount),
    ]),
    'Nothing has happened yet.',
  ),
)}
<p><a href="${auditPath(id)}">The audit trail of this case</a></p>`,
    };
  },
});

function movesOf(id: string, status: CaseStatus): ActionLink[] {
  const names = Object.keys(CASE_MOVES) as CaseMoveName[];
  return names
    .filter((name) => (CASE_MOVES[name].from as readonly CaseStatus[]).includes(status))
    .map((name) => ({
      form: 'brokerage-move',
      text: MOVE_TEXT[name],
      given: { case: id, to: CASE_MOVES[name].to },
      ...toneOf(name),
    }));
}

function toneOf(name: CaseMoveName): Pick<ActionLink, 'tone'> {
  if (name === 'cancel' || name === 'close_no_deal') return { tone: 'danger' };
  return name === 'complete' ? { tone: 'main' } : {};
}
