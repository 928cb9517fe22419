import { type Static, Type } from 'typebox';
import { BULK_OPS } from '../../../../shared/domains/bulk/bulk-operations.ts';
import {
  countOwnedDomains,
  ENDING_DAYS,
  listOwnedDomains,
} from '../../../../shared/domains/owned-domains/manage-owned-domains.ts';
import {
  ANY_DOMAIN,
  canonicalTag,
  OWNED_DOMAIN_SORTS,
  type OwnedDomain,
  type OwnedDomainFilter,
  type OwnedDomainPosition,
} from '../../../../shared/domains/owned-domains/owned-domain.ts';
import { addMs, DAY, dayOf } from '../../../../shared/platform/clock.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { parseTldFilter } from '../../../http/common-schemas.ts';
import { inputFilter, selectFilter } from '../../kit/form.ts';
import { pathWith } from '../../kit/format.ts';
import { badge, domainLink, emptyValue } from '../../kit/page-parts.ts';
import type { PageNow } from '../../kit/page-time.ts';
import { accountList } from '../account-page.ts';
import { OPERATION_FORMS } from '../operation-forms.ts';
import { DOMAINS, domainPath, expiry, market, onOff, tagLinks } from './owned-domain-parts.ts';

const OnOff = Type.Optional(Type.Boolean());
const STATUSES = {
  for_sale: { text: 'For sale', filter: { listed: true } },
  not_for_sale: { text: 'Not for sale', filter: { listed: false, gone: false } },
  not_sold: { text: 'Not sold or returned', filter: { gone: false } },
  sold: { text: 'Sold or returned', filter: { gone: true } },
} as const;
type Status = keyof typeof STATUSES;

/** The filters in the URL of the list. */
export const DOMAIN_FILTERS = {
  text: Type.Optional(Type.String({ maxLength: 253 })),
  tld: Type.Optional(Type.String({ maxLength: 64 })),
  tag: Type.Optional(Type.String({ maxLength: 255 })),
  status: Type.Optional(Type.Enum(Object.keys(STATUSES) as Status[])),
  auto_renew: OnOff,
  lock: OnOff,
  privacy: OnOff,
  renews_itself: OnOff,
};
const Filters = Type.Object(DOMAIN_FILTERS);

/** Reads the domain filter from the URL. @throws validation_error (the suffix) */
export function readDomainFilter(
  given: Static<typeof Filters>,
  expires: { from: Date | null; to: Date | null },
): OwnedDomainFilter {
  return {
    ...ANY_DOMAIN,
    ...(given.status && STATUSES[given.status].filter),
    text: given.text?.trim().toLowerCase() || null,
    tld: parseTldFilter(given.tld),
    tag: given.tag === undefined ? null : canonicalTag(given.tag),
    locked: given.lock ?? null,
    autoRenew: given.auto_renew ?? null,
    privacy: given.privacy ?? null,
    renewsItself: given.renews_itself ?? null,
    expiresFrom: expires.from,
    expiresBefore: expires.to,
  };
}

const CURSOR = {
  write: ({ domain, expiresAt }: OwnedDomainPosition) => `${expiresAt?.getTime() ?? 0}.${domain}`,
  /** Reads an invalid position as the end, so the page is empty. */
  read(text: string): OwnedDomainPosition {
    const [, at = '', domain = '\u{10ffff}'] = /^(\d{1,14})\.(.+)$/.exec(text) ?? [];
    return { domain, expiresAt: new Date(Number(at)) };
  },
};

/** The signed-in user's domains. Rows can be selected for a bulk operation. */
export const domainsPage = accountList({
  path: '/domains',
  title: 'Domains',
  section: 'domains',
  scripts: ['selection.js'],
  filters: DOMAIN_FILTERS,
  sorts: OWNED_DOMAIN_SORTS,
  read: (context, filters, { from, to, ...page }) =>
    listOwnedDomains(context, context.user.id, readDomainFilter(filters, { from, to }), page),
  cursor: CURSOR,
  async above(_filters, context) {
    return counters(await countOwnedDomains(context, context.user.id), context.now);
  },
  form: ({ text = null, tld = null, tag = null, status = null, ...flags }) => ({
    fields: [
      inputFilter('text', 'Name contains', text, 253),
      inputFilter('tld', 'Suffix', tld, 64),
      selectFilter(
        'status',
        'Market',
        Object.entries(STATUSES).map(([value, { text }]) => ({ value, text })),
        status,
      ),
      onOffFilter('auto_renew', 'Auto-renew', flags.auto_renew),
      onOffFilter('lock', 'Lock', flags.lock),
      onOffFilter('privacy', 'Privacy', flags.privacy),
    ],
    hidden: { tag, renews_itself: flags.renews_itself?.toString() ?? null },
  }),
  intro: ({ tag }) =>
    tag !== undefined && html`Only with the tag “${tag}”. <a href="${DOMAINS}">Show all</a>`,
  dates: 'Expires',
  caption: 'Your domains',
  columns: (_filters, _here, { now }) => [
    {
      title: 'Domain',
      cell: ({ domain, unicode, tags, takenAt }: OwnedDomain) =>
        html`<span class="pick"><input type="checkbox" name="domain" value="${domain}" aria-label="Select ${unicode}"> <span>${domainLink(domainPath(domain), domain)}${takenAt && html` ${badge('bad', 'At another registrar')}`}${tagLinks(tags)}</span></span>`,
    },
    { title: 'Expires', cell: (owned) => expiry(owned, now) },
    { title: 'Auto-renew', cell: ({ autoRenew }) => onOff(autoRenew) },
    { title: 'Lock', cell: ({ locked }) => onOff(locked) },
    { title: 'Privacy', cell: ({ privacy }) => onOff(privacy) },
    { title: 'Nameservers', cell: ({ nameservers }) => firstOf(nameservers) },
    { title: 'Market', cell: market },
  ],
  around: chooser,
  empty: (filters) =>
    Object.keys(filters).length > 0
      ? 'No domains match. Change the filter, or choose Domains above to see all.'
      : 'No domains yet. Domains that you buy appear here. To add domains you have elsewhere, ask us.',
  more: 'More domains',
  csv: {
    domain: ({ domain }) => domain,
    unicode: ({ unicode }) => unicode,
    expires_at: ({ expiresAt }) => expiresAt.toISOString(),
    auto_renew: ({ autoRenew }) => String(autoRenew),
    locked: ({ locked }) => String(locked),
    privacy: ({ privacy }) => String(privacy),
    nameservers: ({ nameservers }) => nameservers.join(' '),
    tags: ({ tags }) => tags.join(', '),
    market: ({ listing, purchaseFault }) =>
      purchaseFault === 'refunded' ? 'returned' : (listing?.status ?? null),
    price_cents: ({ listing }) => listing?.price.amount ?? null,
    currency: ({ listing }) => listing?.price.currency ?? null,
  },
});

function counters(
  { total, listed, ending, expired }: Awaited<ReturnType<typeof countOwnedDomains>>,
  now: PageNow,
): Markup {
  const kept = { status: 'not_sold', sort: 'soonest' };
  const dayIn = (days: number) => dayOf(addMs(now, days * DAY));
  const soon = { ...kept, renews_itself: false, from: dayIn(0), to: dayIn(ENDING_DAYS - 1) };
  const items: [count: number, text: string, href: string, alarm?: boolean][] = [
    [total, 'Domains', DOMAINS],
    [ending, 'Expire within 30 days unless you renew them', pathWith(DOMAINS, soon), ending > 0],
    [expired, 'Expired', pathWith(DOMAINS, { ...kept, to: dayIn(-1) }), expired > 0],
    [listed, 'For sale', pathWith(DOMAINS, { status: 'for_sale' })],
  ];
  return html`<div class="counters">${items.map(
    ([count, text, href, alarm]) =>
      html`<a href="${href}" class="${count === 0 && 'nothing'}${alarm && 'alarm'}"><b>${count.toLocaleString('en-US')}</b>${text}</a>`,
  )}</div>`;
}

function onOffFilter(name: string, label: string, value: boolean | undefined): Markup {
  const choices = [
    { value: 'true', text: 'On' },
    { value: 'false', text: 'Off' },
  ];
  return selectFilter(name, label, choices, value === undefined ? null : String(value));
}

/** Returns the form in which rows are selected, with the actions on them. */
function chooser(table: Markup, here: string): Markup {
  const matching = here.split('?')[1] ?? '';
  return html`<form class="chooser" method="post" action="/account/bulk">
<input type="hidden" name="matching" value="${matching}">
${table}
<div class="choice-bar">
<div class="field"><label for="which">Change</label>
<select id="which" name="which"><option value="selected">the selected domains</option><option value="matching">all that match the filter</option></select></div>
<div class="field"><label for="op">What to do</label>
<select id="op" name="op">${BULK_OPS.map((op) => html`<option value="${op}">${OPERATION_FORMS[op].title}</option>`)}</select></div>
<button class="primary" type="submit">Continue</button>
</div>
</form>`;
}

function firstOf(nameservers: readonly string[]): Markup {
  const [first] = nameservers;
  if (first === undefined) return emptyValue();
  const more = nameservers.length - 1;
  return html`${first}${more > 0 && html` <span class="age">and ${more} more</span>`}`;
}
