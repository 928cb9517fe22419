import { Type } from 'typebox';
import { unicodeOf } from '../../../../shared/market/names/domain-name.ts';
import { readPartnerNames } from '../../../../shared/people/partners/read-partners.ts';
import { html } from '../../../../shared/platform/html.ts';
import { OFFER_STATUSES } from '../../../../shared/sales/offers/offer.ts';
import { getOfferById, listOffersForOps } from '../../../../shared/sales/offers/read-offers.ts';
import { statusFilter } from '../../../pages/kit/form.ts';
import { emailText, humanize, money, timestamp } from '../../../pages/kit/format.ts';
import {
  asciiFact,
  descriptionList,
  domainLink,
  link,
  section,
} from '../../../pages/kit/page-parts.ts';
import { environmentTag, statusBadge } from '../../../pages/kit/status-badge.ts';
import { ACTIONS, numberColumn, table } from '../../../pages/kit/table.ts';
import { actionRow, offeredLinks } from '../action-links.ts';
import {
  clockOf,
  consolePage,
  EnvironmentFilter,
  environmentFilter,
  IdField,
  requireId,
} from '../console-page.ts';
import { auditPath, offerPath, partnerPath } from '../console-paths.ts';
import { OFFER_FORMS } from '../forms/negotiation-forms.ts';
import { listInOwnTime } from '../list-page.ts';

/** Buyers' offers: those that wait for an answer, or those with one status. */
export const offersPage = listInOwnTime({
  path: '/offers',
  title: 'Offers',
  section: 'offers',
  filters: {
    status: Type.Optional(Type.Enum([...OFFER_STATUSES])),
    environment: EnvironmentFilter,
  },
  sorts: ['oldest', 'newest'],
  async read(context, { status = null, environment = null }, page) {
    const { rows, next } = await listOffersForOps(context, { status, environment }, page);
    const names = await readPartnerNames(
      context,
      rows.map(({ partnerId }) => partnerId),
    );
    const named = rows.map((offer) => ({
      ...offer,
      partner: names.get(offer.partnerId) ?? offer.partnerId,
    }));
    return { rows: named, next };
  },
  form: ({ status = null, environment = null }) => ({
    fields: [statusFilter(OFFER_STATUSES, status, 'All waiting'), environmentFilter(environment)],
  }),
  dates: 'Made',
  caption: ({ status }) => (status ? `Offers: ${humanize(status)}` : 'Waiting offers'),
  columns: (_filters, here) => [
    {
      title: 'Domain',
      cell: ({ id, domain, environment }) =>
        html`${domainLink(offerPath(id), domain)} ${environmentTag(environment)}`,
    },
    { title: 'Status', cell: ({ status }) => statusBadge(status) },
    { ...numberColumn('Buyer offers'), cell: ({ amount }) => money(amount) },
    { ...numberColumn('Owner’s price'), cell: ({ counter }) => money(counter) },
    { ...numberColumn('Agreed'), cell: ({ price }) => money(price) },
    {
      title: 'Buyer',
      cell: ({ buyerEmail }) => emailText(buyerEmail),
    },
    { title: 'Partner', cell: ({ partnerId, partner }) => link(partnerPath(partnerId), partner) },
    {
      title: 'Made',
      cell: ({ createdAt }, { now }) => timestamp(createdAt, now),
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
    {
      ...ACTIONS,
      cell: ({ id, domain, status }, context) =>
        offeredLinks(context, OFFER_FORMS, status, {
          given: { offer: id },
          about: domain,
          back: here,
        }),
    },
  ],
  empty: ({ status }) =>
    status ? 'No offers with this status.' : 'No offers are waiting for an answer.',
  more: 'More offers',
  csv: {
    id: ({ id }) => id,
    domain: ({ domain }) => domain,
    environment: ({ environment }) => environment,
    status: ({ status }) => status,
    amount_cents: ({ amount }) => amount.amount,
    counter_cents: ({ counter }) => counter?.amount ?? null,
    price_cents: ({ price }) => price?.amount ?? null,
    currency: ({ amount }) => amount.currency,
    buyer_email: ({ buyerEmail }) => buyerEmail,
    partner_id: ({ partnerId }) => partnerId,
    created_at: ({ createdAt }) => createdAt.toISOString(),
    expires_at: ({ expiresAt }) => expiresAt.toISOString(),
  },
});

/** One offer with its history, and the possible answers on the owner's behalf. */
export const offerPage = consolePage({
  path: '/offers/:offer',
  input: Type.Object({ offer: IdField }),
  async show(context, { offer: id }) {
    requireId('offer', id, 'No offer has this ID.');
    const { offer, steps } = await getOfferById(context, id);
    const names = await readPartnerNames(context, [offer.partnerId]);
    const { now, testMode } = await clockOf(context, offer);
    return {
      testMode,
      title: unicodeOf(offer.domain),
      section: 'offers',
      content: html`${actionRow(offeredLinks(context, OFFER_FORMS, offer.status, { given: { offer: id } }))}
${descriptionList([
  asciiFact(offer.domain),
  ['Status', statusBadge(offer.status)],
  ['Environment', environmentTag(offer.environment)],
  ['Buyer offers', money(offer.amount)],
  ['Owner’s last price', money(offer.counter)],
  ['Agreed', offer.price && money(offer.price)],
  offer.releasedAt
    ? ['Released', timestamp(offer.releasedAt, now)]
    : ['Pay until', offer.quoteExpiresAt && timestamp(offer.quoteExpiresAt, now)],
  ['Buyer', offer.buyerEmail],
  ['Partner', link(partnerPath(offer.partnerId), names.get(offer.partnerId) ?? offer.partnerId)],
  ['Made', timestamp(offer.createdAt, now)],
  ['Answer until', timestamp(offer.expiresAt, now)],
  ['Offer', html`<span class="id">${offer.id}</span>`],
])}
${section(
  'What was said',
  table(
    'What was said',
    ['When', 'What', 'By', numberColumn('Price')],
    steps.map(({ at, event, by, amount }) => [
      timestamp(at, now),
      humanize(event.replace('offer.', '')),
      humanize(by),
      money(amount),
    ]),
    'Nothing yet.',
  ),
)}
<p><a href="${auditPath(id)}">Audit trail of this offer</a></p>`,
    };
  },
});
