import { html } from '../../../../shared/platform/html.ts';
import type { ListSort } from '../../../../shared/platform/page.ts';
import {
  type CheckoutReview,
  listReviews,
} from '../../../../shared/sales/checkout/checkout-review.ts';
import { emailText, humanize, money, timestamp } from '../../../pages/kit/format.ts';
import { domainCell, link } from '../../../pages/kit/page-parts.ts';
import { environmentTag } from '../../../pages/kit/status-badge.ts';
import { ACTIONS, numberColumn } from '../../../pages/kit/table.ts';
import { offeredLinks } from '../action-links.ts';
import { EnvironmentFilter, environmentFilter } from '../console-page.ts';
import { partnerPath } from '../console-paths.ts';
import { CHECKOUT_FORMS } from '../forms/checkout-forms.ts';
import { type ListColumn, listInOwnTime } from '../list-page.ts';
import { reviewTabs } from './order-list-pages.ts';

type ReviewColumn = ListColumn<CheckoutReview, ListSort>;

const OPENED: ReviewColumn = {
  title: 'Session',
  cell: ({ createdAt }, { now }) => timestamp(createdAt, now),
  sorts: { ascending: 'oldest', descending: 'newest' },
};

/** Purchases on our pages that wait for a decision before their payment. */
export const checkoutReviewPage = listInOwnTime({
  path: '/review/checkouts',
  title: 'Purchases in review',
  section: 'review',
  filters: { environment: EnvironmentFilter },
  sorts: ['oldest', 'newest'],
  read: (context, { environment = null }, page) => listReviews(context, environment, page),
  form: ({ environment = null }) => ({ fields: [environmentFilter(environment)] }),
  dates: 'Session created',
  intro: ({ environment }) => html`${reviewTabs('checkouts', environment)}
<p>Held by a review rule before the payment. Nothing was charged.</p>`,
  caption: 'Purchases in review',
  columns: (_filters, here) => [
    {
      title: 'Domain',
      cell: ({ domain, environment }) => html`${domainCell(domain)} ${environmentTag(environment)}`,
    },
    { title: 'Held for', cell: ({ reviewReasons }) => reviewReasons.map(humanize).join(', ') },
    { ...numberColumn('Price'), cell: ({ price }) => money(price) },
    {
      title: 'Buyer',
      cell: ({ buyerEmail, buyerCountry }) =>
        html`${emailText(buyerEmail)}${buyerCountry && html`<span class="sub">${buyerCountry}</span>`}`,
    },
    {
      title: 'Partner',
      cell: ({ partnerId, partnerName }) => link(partnerPath(partnerId), partnerName),
    },
    OPENED,
    { title: 'Waits since', cell: ({ reviewSince }, { now }) => timestamp(reviewSince, now) },
    { title: 'Decide by', cell: ({ expiresAt }, { now }) => timestamp(expiresAt, now) },
    {
      ...ACTIONS,
      cell: ({ id, domain }, context) =>
        offeredLinks(context, CHECKOUT_FORMS, undefined, {
          given: { session: id },
          about: domain,
          back: here,
        }),
    },
  ],
  empty: 'No purchases to review.',
  more: 'Next purchases',
  csv: {
    id: ({ id }) => id,
    domain: ({ domain }) => domain,
    environment: ({ environment }) => environment,
    price_cents: ({ price }) => price.amount,
    currency: ({ price }) => price.currency,
    held_for: ({ reviewReasons }) => reviewReasons.join(' '),
    buyer_email: ({ buyerEmail }) => buyerEmail,
    buyer_country: ({ buyerCountry }) => buyerCountry,
    partner_id: ({ partnerId }) => partnerId,
    waiting_since: ({ reviewSince }) => reviewSince.toISOString(),
    decide_by: ({ expiresAt }) => expiresAt.toISOString(),
  },
});
