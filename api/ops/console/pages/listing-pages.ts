import { Type } from 'typebox';
import { listListings } from '../../../../shared/market/inventory/console-listings.ts';
import { html } from '../../../../shared/platform/html.ts';
import { Money } from '../../../../shared/platform/money.ts';
import { LOOK_THROUGH, NAME_SORTS } from '../../../../shared/platform/page.ts';
import { inputFilter, selectField, statusFilter } from '../../../pages/kit/form.ts';
import { money, timestamp } from '../../../pages/kit/format.ts';
import { environmentTag, statusBadge } from '../../../pages/kit/status-badge.ts';
import { ACTIONS, numberColumn } from '../../../pages/kit/table.ts';
import { listingAdd } from '../../actions/domain-actions.ts';
import { mayRun } from '../../ops-routes.ts';
import { actionLink, actionRow, offeredLinks } from '../action-links.ts';
import { IMPORT_PATH, LEGAL_HOLDS_PATH } from '../console-paths.ts';
import { MARKET_FORMS } from '../forms/listing-forms.ts';
import { listInRealTime } from '../list-page.ts';

const STATUSES = ['listed', 'sold', 'delisted'] as const;
const ENVIRONMENTS = ['LIVE', 'SANDBOX'] as const;

/** Every listing of an inventory, by name. */
export const listingsPage = listInRealTime({
  path: '/listings',
  title: 'Listings',
  section: 'listings',
  filters: {
    environment: Type.Enum([...ENVIRONMENTS], { default: 'LIVE' }),
    status: Type.Optional(Type.Enum([...STATUSES])),
    domain: Type.Optional(Type.String({ maxLength: 253 })),
  },
  sorts: NAME_SORTS,
  read: (context, { environment, status = null, domain = null }, page) =>
    listListings(context, { environment, status, beginning: domain }, page),
  above: (_filters, context) =>
    actionRow([
      actionLink(context, { form: 'listing-add', given: {} }),
      mayRun(listingAdd, context.staff.role)
        ? html`<a class="button" href="${IMPORT_PATH}">Import a file</a>`
        : undefined,
      html`<a class="button" href="${LEGAL_HOLDS_PATH}">Legal holds</a>`,
    ]),
  form: ({ environment, status = null, domain = null }) => ({
    fields: [
      inputFilter('domain', 'Domain begins with', domain, 253),
      selectField({
        id: 'filter-environment',
        name: 'environment',
        label: 'Environment',
        choices: ENVIRONMENTS.map((value) => ({ value, text: value })),
        chosen: environment,
      }),
      statusFilter(STATUSES, status),
    ],
  }),
  dates: 'Listed',
  caption: 'Listings',
  columns: (_filters, here) => [
    {
      title: 'Domain',
      cell: ({ domain, domainUnicode, environment }) =>
        html`${domainUnicode} ${environmentTag(environment)}${domain !== domainUnicode && html`<span class="sub id">${domain}</span>`}`,
      sorts: { ascending: 'a_to_z', descending: 'z_to_a' },
    },
    { title: 'Status', cell: ({ status }) => statusBadge(status) },
    {
      ...numberColumn('Price'),
      cell: ({ priceCents, currency }) => money(new Money(priceCents, currency)),
    },
    {
      ...numberColumn('Floor'),
      cell: ({ floorPriceCents, currency }) =>
        money(floorPriceCents === null ? null : new Money(floorPriceCents, currency)),
    },
    { title: 'Category', cell: ({ category }) => category ?? '–' },
    { title: 'Listed', cell: ({ listedAt }, { now }) => timestamp(listedAt, now) },
    {
      ...ACTIONS,
      cell: ({ environment, domain, status }, context) =>
        offeredLinks(context, MARKET_FORMS, status, {
          given: { environment, domain },
          about: domain,
          back: here,
        }),
    },
  ],
  empty: 'No listings match. Change the filter, or add one.',
  emptySoFar: `No match among ${LOOK_THROUGH.toLocaleString('en-US')} names. There are more.`,
  more: 'More listings',
  csv: {
    domain: ({ domain }) => domain,
    environment: ({ environment }) => environment,
    status: ({ status }) => status,
    price_cents: ({ priceCents }) => priceCents,
    floor_price_cents: ({ floorPriceCents }) => floorPriceCents,
    currency: ({ currency }) => currency,
    category: ({ category }) => category,
    listed_at: ({ listedAt }) => listedAt.toISOString(),
    updated_at: ({ updatedAt }) => updatedAt.toISOString(),
  },
});
