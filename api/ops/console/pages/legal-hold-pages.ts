import { Type } from 'typebox';
import { listLegalHolds } from '../../../../shared/market/legal-holds/read-legal-holds.ts';
import { html } from '../../../../shared/platform/html.ts';
import { LIST_SORTS } from '../../../../shared/platform/page.ts';
import { inputFilter, selectField } from '../../../pages/kit/form.ts';
import { humanize, timestamp } from '../../../pages/kit/format.ts';
import { domainCell } from '../../../pages/kit/page-parts.ts';
import { ACTIONS } from '../../../pages/kit/table.ts';
import { LEGAL_HOLD_NAMES } from '../../actions/legal-hold-actions.ts';
import { actionLink, actionRow } from '../action-links.ts';
import { listInRealTime } from '../list-page.ts';

const SHOWN = ['standing', 'all'] as const;

/** Domains that must not be moved, by court order or the like. */
export const legalHoldsPage = listInRealTime({
  path: '/legal-holds',
  title: 'Legal holds',
  section: 'listings',
  filters: {
    shown: Type.Enum([...SHOWN], { default: 'standing' }),
    domain: Type.Optional(Type.String({ maxLength: 253 })),
  },
  sorts: LIST_SORTS,
  read: (context, { shown, domain = null }, page) =>
    listLegalHolds(context, { standing: shown === 'standing', beginning: domain }, page),
  above: (_filters, context) =>
    actionRow([actionLink(context, { form: 'legal-hold-place', given: {} })]),
  form: ({ shown, domain = null }) => ({
    fields: [
      inputFilter('domain', 'Domain begins with', domain, 253),
      selectField({
        id: 'filter-shown',
        name: 'shown',
        label: 'Show',
        choices: SHOWN.map((value) => ({ value, text: humanize(value) })),
        chosen: shown,
      }),
    ],
  }),
  dates: 'Placed',
  intro: () =>
    'Nobody can sell, move or change these LIVE domains. They are still renewed. A second person must lift the hold.',
  caption: 'Legal holds',
  columns: (_filters, here) => [
    { title: 'Domain', cell: ({ domain }) => domainCell(domain) },
    { title: 'Order', cell: ({ kind }) => LEGAL_HOLD_NAMES[kind] },
    { title: 'Case', cell: ({ caseReference }) => caseReference },
    {
      title: 'Placed',
      cell: ({ placedAt, placedBy }, { now }) =>
        html`${timestamp(placedAt, now)}<span class="sub id">${placedBy}</span>`,
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
    {
      title: 'Lifted',
      cell: ({ liftedAt, liftedBy }, { now }) =>
        liftedAt ? html`${timestamp(liftedAt, now)}<span class="sub id">${liftedBy}</span>` : '–',
    },
    {
      ...ACTIONS,
      cell: ({ id, domain, liftedAt }, context) =>
        liftedAt === null
          ? actionLink(context, {
              form: 'legal-hold-lift',
              about: domain,
              given: { hold: id },
              back: here,
            })
          : null,
    },
  ],
  empty: 'No domain is on legal hold.',
  more: 'More holds',
  csv: {
    id: ({ id }) => id,
    domain: ({ domain }) => domain,
    kind: ({ kind }) => kind,
    case_reference: ({ caseReference }) => caseReference,
    placed_at: ({ placedAt }) => placedAt.toISOString(),
    placed_by: ({ placedBy }) => placedBy,
    lifted_at: ({ liftedAt }) => liftedAt?.toISOString() ?? null,
    lifted_by: ({ liftedBy }) => liftedBy,
  },
});
