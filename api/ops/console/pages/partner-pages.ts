import { Type } from 'typebox';
import { readClockOf } from '../../../../shared/operations/sandbox-clock/move-clock.ts';
import type { StoredCredential } from '../../../../shared/people/partners/read-credentials.ts';
import {
  listPartnersPage,
  readPartner,
  readPartnerWithCredentials,
} from '../../../../shared/people/partners/read-partners.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import {
  awaitsApproval,
  type Destination,
  readDestinations,
  refusalOfDestination,
} from '../../../../shared/settlement/payouts/destination.ts';
import { clockFacts } from '../../../pages/kit/clock-parts.ts';
import { statusFilter } from '../../../pages/kit/form.ts';
import { humanize, pathWith, percent, timestamp } from '../../../pages/kit/format.ts';
import { descriptionList, link, section } from '../../../pages/kit/page-parts.ts';
import type { PageNow } from '../../../pages/kit/page-time.ts';
import { environmentTag, statusBadge } from '../../../pages/kit/status-badge.ts';
import { ACTIONS, numberColumn, table } from '../../../pages/kit/table.ts';
import { actionLink, actionRow, offeredLinks } from '../action-links.ts';
import { consolePage, IdField, type PageContext, requireId } from '../console-page.ts';
import { auditPath, endpointsPath, partnerPath } from '../console-paths.ts';
import { DESTINATION_FORMS, KEY_PAIR_FORMS, PARTNER_FORMS } from '../forms/partner-forms.ts';
import { listInRealTime } from '../list-page.ts';

const STATUSES = ['active', 'suspended'] as const;

/** The partner accounts. */
export const partnersPage = listInRealTime({
  path: '/partners',
  title: 'Partners',
  section: 'partners',
  filters: { status: Type.Optional(Type.Enum([...STATUSES])) },
  sorts: ['newest', 'oldest'],
  read: (context, { status = null }, page) => listPartnersPage(context, status, page),
  above: (_filters, context) =>
    actionRow([actionLink(context, { form: 'partner-create', given: {} })]),
  form: ({ status = null }) => ({ fields: [statusFilter(STATUSES, status)] }),
  dates: 'Since',
  caption: 'Partners',
  columns: () => [
    { title: 'Name', cell: ({ id, name }) => link(partnerPath(id), name) },
    { title: 'Status', cell: ({ status }) => statusBadge(status) },
    { ...numberColumn('Commission'), cell: ({ commissionBps }) => percent(commissionBps) },
    { title: 'Settles', cell: ({ settlementPeriod }) => humanize(settlementPeriod) },
    { ...numberColumn('Live keys'), cell: ({ liveKeys }) => liveKeys },
    { ...numberColumn('Sandbox keys'), cell: ({ sandboxKeys }) => sandboxKeys },
    { title: 'Affiliate', cell: ({ affiliateId }) => (affiliateId ? 'Yes' : 'No') },
    {
      title: 'Since',
      cell: ({ createdAt }, { now }) => timestamp(createdAt, now),
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
  ],
  empty: 'No partners match, or there are none yet. Open an account.',
  more: 'More partners',
  csv: {
    id: ({ id }) => id,
    name: ({ name }) => name,
    status: ({ status }) => status,
    commission_bps: ({ commissionBps }) => commissionBps,
    settlement_period: ({ settlementPeriod }) => settlementPeriod,
    live_keys: ({ liveKeys }) => liveKeys,
    sandbox_keys: ({ sandboxKeys }) => sandboxKeys,
    affiliate_id: ({ affiliateId }) => affiliateId,
    created_at: ({ createdAt }) => createdAt.toISOString(),
  },
});

function stateOfDestination({ config, now }: PageContext, destination: Destination) {
  const refusal = refusalOfDestination(config, destination, now);
  return refusal !== undefined && html`<span class="sub">${refusal}</span>`;
}

/** Returns the button that approves a changed payout account, at the revision that the page shows. */
function approvalLinks(context: PageContext, partner: string, destination: Destination) {
  const { kind, revision, name } = destination;
  const state = { awaits: awaitsApproval(context.config, destination) };
  const given = { partner, kind, revision: String(revision) };
  return offeredLinks(context, DESTINATION_FORMS, state, { given, about: name });
}

/** One partner with its key pairs, without any secret. */
export const partnerPage = consolePage({
  path: '/partners/:partner',
  input: Type.Object({ partner: IdField }),
  async show(context, { partner: id }) {
    requireId('partner', id, 'No partner has this ID.');
    const [{ partner, credentials }, destinations] = await Promise.all([
      readPartnerWithCredentials(context, id),
      readDestinations(context.db.knex, id),
    ]);
    const { now } = context;
    return {
      title: partner.name,
      section: 'partners',
      content: html`${actionRow([
        ...offeredLinks(
          context,
          PARTNER_FORMS,
          {
            status: partner.status,
            approved: partner.liveApprovedAt !== null,
            affiliate: partner.affiliateId !== null,
          },
          { given: { partner: id } },
        ),
        ...destinations.flatMap((each) => approvalLinks(context, id, each)),
      ])}
${descriptionList([
  ['Status', statusBadge(partner.status)],
  ['LIVE', partner.liveApprovedAt === null && 'Not approved'],
  ['Commission', percent(partner.commissionBps)],
  ['Settles', humanize(partner.settlementPeriod)],
  ['Affiliate account', partner.affiliateId],
  ...destinations.map(
    (each) => ['Paid to', html`${each.name}${stateOfDestination(context, each)}`] as const,
  ),
  ['Since', timestamp(partner.createdAt, now)],
  ['Partner', html`<span class="id">${partner.id}</span>`],
])}
${section(
  'Key pairs',
  table(
    'Key pairs, the oldest first',
    ['Key', 'Environment', 'Status', 'Scopes', 'From', 'Issued', 'Last used', ACTIONS],
    credentials.map((credential) => [
      html`${credential.name}<span class="sub id">${credential.keyId}</span>`,
      environmentTag(credential.environment),
      statusOf(credential, now),
      credential.scopes.join(', '),
      credential.allowedIps?.join(', ') ?? 'Anywhere',
      timestamp(credential.createdAt, now),
      credential.lastUsedAt ? timestamp(credential.lastUsedAt, now) : 'Never',
      offeredLinks(context, KEY_PAIR_FORMS, credential, {
        given: { key_id: credential.keyId },
        about: credential.keyId,
      }),
    ]),
    'No key pairs yet. Issue one.',
  ),
)}
${section(
  'Related',
  html`<ul>
<li><a href="${pathWith('/ops/orders', { partner: id })}">Orders</a></li>
<li><a href="${pathWith('/ops/settlements', { partner: id })}">Settlements</a></li>
<li>Webhooks: <a href="${endpointsPath({ environment: 'LIVE', partnerId: id })}">live</a>, <a href="${endpointsPath({ environment: 'SANDBOX', partnerId: id })}">sandbox</a></li>
<li>${link(`${partnerPath(id)}/clock`, 'Sandbox clock')}</li>
<li><a href="${auditPath(id)}">Audit trail of this account</a></li>
</ul>`,
)}`,
    };
  },
});

/** The time in a partner's sandbox, and since when it is ahead. */
export const partnerClockPage = consolePage({
  path: '/partners/:partner/clock',
  input: Type.Object({ partner: IdField }),
  async show(context, { partner: id }) {
    requireId('partner', id, 'No partner has this ID.');
    const partner = await readPartner(context, id);
    const clock = await readClockOf(context, partner);
    return {
      title: `Sandbox clock of ${partner.name}`,
      section: 'partners',
      content: html`<p>${link(partnerPath(id), partner.name)}</p>
${descriptionList([
  ...clockFacts(clock),
  ['Last moved', clock.movedAt ? timestamp(clock.movedAt, context.now) : 'Never'],
])}
<p class="hint">Partners move it themselves, forward only. To see what is due next: <code>npm run ops -- sandbox-clock:show --partner ${id}</code></p>`,
    };
  },
});

function statusOf({ status, expiresAt, revokedAt }: StoredCredential, now: PageNow): Markup {
  if (revokedAt)
    return html`${statusBadge(status)}<span class="sub">${timestamp(revokedAt, now)}</span>`;
  if (expiresAt === null) return statusBadge(status);
  const over = expiresAt <= now;
  return html`${statusBadge(over ? 'expired' : 'active')}<span class="sub">${over ? 'since' : 'until'} ${timestamp(expiresAt, now)}</span>`;
}
