import { Type } from 'typebox';
import { unicodeOf } from '../../../../shared/market/names/domain-name.ts';
import { readPartnerNames } from '../../../../shared/people/partners/read-partners.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import {
  CASE_MOVES,
  CASE_STATUSES,
  type CaseMoveName,
  type CaseStatus,
} from '../../../../shared/sales/brokerage/brokerage-case.ts';
import { getCaseById, listCasesForOps } from '../../../../shared/sales/brokerage/read-cases.ts';
import { caseTimeline, latestOffer } from '../../../pages/kit/case-parts.ts';
import { statusFilter } from '../../../pages/kit/form.ts';
import { emailText, humanize, money, timestamp } from '../../../pages/kit/format.ts';
import { asciiFact, descriptionList, domainLink, link } from '../../../pages/kit/page-parts.ts';
import { environmentTag, statusBadge } from '../../../pages/kit/status-badge.ts';
import { numberColumn } from '../../../pages/kit/table.ts';
import { actionLink, actionRow } from '../action-links.ts';
import {
  clockOf,
  consolePage,
  EnvironmentFilter,
  environmentFilter,
  IdField,
  type PageContext,
  requireId,
} from '../console-page.ts';
import { auditPath, casePath, orderPath, partnerPath } from '../console-paths.ts';
import type { ActionForm } from '../forms/action-form.ts';
import { listInOwnTime } from '../list-page.ts';

/** Open cases, or cases with one status. */
export const brokeragePage = listInOwnTime({
  path: '/brokerage',
  title: 'Brokerage cases',
  section: 'brokerage',
  filters: {
    status: Type.Optional(Type.Enum([...CASE_STATUSES])),
    environment: EnvironmentFilter,
  },
  sorts: ['oldest', 'newest'],
  async read(context, { status = null, environment = null }, page) {
    const { rows, next } = await listCasesForOps(context, { status, environment }, page);
    const names = await readPartnerNames(
      context,
      rows.map(({ partnerId }) => partnerId),
    );
    const named = rows.map((each) => ({
      ...each,
      partner: names.get(each.partnerId) ?? each.partnerId,
    }));
    return { rows: named, next };
  },
  form: ({ status = null, environment = null }) => ({
    fields: [statusFilter(CASE_STATUSES, status, 'All open'), environmentFilter(environment)],
  }),
  dates: 'Opened',
  caption: ({ status }) => (status ? `Cases: ${humanize(status)}` : 'Open cases'),
  columns: () => [
    {
      title: 'Domain',
      cell: ({ id, domain, environment }) =>
        html`${domainLink(casePath(id), domain)} ${environmentTag(environment)}`,
    },
    { title: 'Status', cell: ({ status }) => statusBadge(status) },
    { title: 'Tier', cell: ({ tier }) => humanize(tier) },
    { ...numberColumn('Budget'), cell: ({ budget }) => money(budget) },
    { ...numberColumn('Latest offer'), cell: (found) => latestOffer(found) },
    { title: 'Buyer', cell: ({ buyerEmail }) => emailText(buyerEmail) },
    { title: 'Partner', cell: ({ partnerId, partner }) => link(partnerPath(partnerId), partner) },
    {
      title: 'Opened',
      cell: ({ createdAt }, { now }) => timestamp(createdAt, now),
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
  ],
  empty: ({ status }) => (status ? 'No cases with this status.' : 'No open cases.'),
  more: 'More cases',
  csv: {
    id: ({ id }) => id,
    domain: ({ domain }) => domain,
    environment: ({ environment }) => environment,
    status: ({ status }) => status,
    tier: ({ tier }) => tier,
    budget_cents: ({ budget }) => budget.amount,
    latest_offer_cents: ({ latestOffer: offer }) => offer?.amount ?? null,
    currency: ({ budget }) => budget.currency,
    buyer_email: ({ buyerEmail }) => buyerEmail,
    partner_id: ({ partnerId }) => partnerId,
    created_at: ({ createdAt }) => createdAt.toISOString(),
  },
});

/** One case with its history and its possible moves. */
export const brokerageCasePage = consolePage({
  path: '/brokerage/:case',
  input: Type.Object({ case: IdField }),
  async show(context, { case: id }) {
    requireId('brokerageCase', id, 'No brokerage case has this ID.');
    const { found, timeline, listingStatus } = await getCaseById(context, id);
    const names = await readPartnerNames(context, [found.partnerId]);
    const { now, testMode } = await clockOf(context, found);
    return {
      testMode,
      title: unicodeOf(found.domain),
      section: 'brokerage',
      content: html`${actionRow(moveLinks(context, found))}
${descriptionList([
  ['Status', statusBadge(found.status)],
  asciiFact(found.domain),
  ['Environment', environmentTag(found.environment)],
  ['Tier', humanize(found.tier)],
  ['Budget', money(found.budget)],
  ['Latest offer', latestOffer(found)],
  ['Deal price', found.dealPrice && money(found.dealPrice)],
  ['Partner’s commission', found.commission && money(found.commission)],
  ['Order', found.orderId && link(orderPath(found.orderId), 'Order')],
  ['Listed here', listingStatus && statusBadge(listingStatus)],
  ['Partner', link(partnerPath(found.partnerId), names.get(found.partnerId) ?? found.partnerId)],
  ['Buyer', found.buyerEmail],
  ['Opened', timestamp(found.createdAt, now)],
  ['Closed', found.closedAt && timestamp(found.closedAt, now)],
  ['Case', html`<span class="id">${found.id}</span>`],
])}
${caseTimeline(timeline, now)}
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

function moveLinks(
  context: PageContext,
  { id, status }: { id: string; status: CaseStatus },
): (Markup | undefined)[] {
  const names = Object.keys(CASE_MOVES) as CaseMoveName[];
  return names
    .filter((name) => (CASE_MOVES[name].from as readonly CaseStatus[]).includes(status))
    .map((name) =>
      actionLink(context, {
        form: name === 'complete' ? 'brokerage-complete' : 'brokerage-move',
        ...MOVES[name],
        given: { case: id, to: CASE_MOVES[name].to },
      }),
    );
}
