import { Type } from 'typebox';
import { holdsUntilReleased } from '../../../../shared/people/screening/decide-hit.ts';
import {
  HIT_LISTS,
  type HitList,
  listHits,
  listScreeningLists,
  type ScreeningHit,
  type ScreeningList,
} from '../../../../shared/people/screening/read-screening.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { humanize, pathWith, timestamp } from '../../../pages/kit/format.ts';
import { domainLink, link, tabs } from '../../../pages/kit/page-parts.ts';
import { statusBadge } from '../../../pages/kit/status-badge.ts';
import { ACTIONS, numberColumn, table } from '../../../pages/kit/table.ts';
import { offeredLinks } from '../action-links.ts';
import type { PageContext } from '../console-page.ts';
import {
  auditPath,
  CHECKOUT_REVIEWS_PATH,
  LEGAL_HOLDS_PATH,
  orderPath,
  partnerPath,
  SCREENING_PATH,
} from '../console-paths.ts';
import { SCREENING_FORMS } from '../forms/screening-forms.ts';
import { listInRealTime } from '../list-page.ts';

/** Parties that may be on a sanctions list, and the decisions about them. */
export const screeningPage = listInRealTime({
  path: '/screening',
  title: 'Screening',
  section: 'screening',
  filters: { which: Type.Enum([...HIT_LISTS], { default: 'waiting' }) },
  sorts: ['oldest', 'newest'],
  read: (context, { which }, page) => listHits(context, which, page),
  above: async ({ which }, context) =>
    html`${listsTable(await listScreeningLists(context), context)}
${hitTabs(which)}`,
  form: ({ which }) => ({ fields: [], hidden: { which } }),
  dates: 'Found',
  intro: ({ which }) =>
    which === 'waiting' &&
    'Each of these names is close to a name on a list. Compare the two. Releasing a hit takes two people.',
  caption: ({ which }) => `Hits, ${which}`,
  columns: (_filters, here) => [
    {
      title: 'Party',
      cell: (hit) =>
        html`${hit.partyName}<span class="sub">${[humanize(hit.role), hit.partyCountry].filter(Boolean).join(', ')}</span>`,
    },
    {
      title: 'Entry',
      cell: (hit) =>
        html`${hit.entryName}${hit.matchedName !== hit.entryName && html`<span class="sub">Also ${hit.matchedName}</span>`}<span class="sub">${hit.list} ${hit.entryId}${hit.programme && html`, ${hit.programme}`}</span>`,
    },
    { ...numberColumn('Score'), cell: ({ score }) => score },
    { title: 'Why', cell: ({ why }) => why.map(humanize).join(', ') },
    { title: 'Holds', cell: heldBy },
    {
      title: 'Status',
      cell: ({ status, reason, proposer, decider }) =>
        html`${statusBadge(status)}${reason && html`<span class="sub">${reason}</span>`}${proposer && html`<span class="sub">Proposed by ${proposer}</span>`}${decider && html`<span class="sub">Decided by ${decider}</span>`}`,
    },
    {
      title: 'Found',
      cell: ({ createdAt }, { now }) => timestamp(createdAt, now),
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
    {
      ...ACTIONS,
      cell: (hit, context) =>
        offeredLinks(
          context,
          SCREENING_FORMS,
          {
            status: hit.status,
            isOwnProposal: hit.proposedBy === context.actor,
            holdsUntilReleased: holdsUntilReleased(hit),
          },
          { given: { hit: hit.id }, about: hit.partyName, back: here },
        ),
    },
  ],
  empty: ({ which }) => (which === 'waiting' ? 'No hits to decide.' : `No ${which} hits.`),
  more: 'More hits',
  csv: {
    id: ({ id }) => id,
    status: ({ status }) => status,
    role: ({ role }) => role,
    party: ({ partyName }) => partyName,
    party_country: ({ partyCountry }) => partyCountry,
    list: ({ list }) => list,
    entry_id: ({ entryId }) => entryId,
    entry: ({ entryName }) => entryName,
    matched_name: ({ matchedName }) => matchedName,
    programme: ({ programme }) => programme,
    score: ({ score }) => score,
    why: ({ why }) => why.join(' '),
    order_id: ({ orderId }) => orderId,
    checkout_session_id: ({ checkoutSessionId }) => checkoutSessionId,
    registrant_change_id: ({ registrantChangeId }) => registrantChangeId,
    domain: ({ domain }) => domain,
    partner_id: ({ partnerId }) => partnerId,
    reason: ({ reason }) => reason,
    proposed_by: ({ proposedBy }) => proposedBy,
    decided_by: ({ decidedBy }) => decidedBy,
    created_at: ({ createdAt }) => createdAt.toISOString(),
  },
});

function heldBy(hit: ScreeningHit): Markup {
  const { orderId, checkoutSessionId, registrantChangeId, domain, partnerId, partnerName } = hit;
  if (domain !== null) return domainLink(pathWith(LEGAL_HOLDS_PATH, { domain }), domain);
  if (registrantChangeId !== null) {
    return link(auditPath(registrantChangeId), 'Change of a registrant');
  }
  const partner =
    partnerId !== null &&
    html`<span class="sub">${link(partnerPath(partnerId), partnerName ?? partnerId)}</span>`;
  if (orderId !== null) return html`${link(orderPath(orderId), 'Order')}${partner}`;
  if (checkoutSessionId !== null) {
    return html`${link(CHECKOUT_REVIEWS_PATH, 'Purchase')}${partner}`;
  }
  return html`Payouts${partner}`;
}

function listsTable(lists: readonly ScreeningList[], { now }: PageContext): Markup {
  if (lists.length === 0) {
    return html`<p>No lists are loaded, so nobody is screened. Import one with <code>screening:import</code>.</p>`;
  }
  return table(
    'Lists',
    ['List', numberColumn('Version'), numberColumn('Entries'), 'Imported', 'Screened again'],
    lists.map((each) => [
      each.list,
      each.version,
      each.entries,
      html`${timestamp(each.importedAt, now)}<span class="sub">${each.importedBy}</span>`,
      each.rescreenedAt === null
        ? 'Not yet'
        : html`${timestamp(each.rescreenedAt, now)}<span class="sub">${each.rescreenedOrders} orders, ${each.rescreenedRegistrants} registrants, ${each.rescreenedPayees} payees, ${each.newHits} new hits</span>`,
    ]),
    '',
  );
}

function hitTabs(current: HitList): Markup {
  return tabs(
    'Hits',
    HIT_LISTS.map((which) => ({
      text: humanize(which),
      href: pathWith(SCREENING_PATH, { which }),
      current: which === current,
    })),
  );
}
