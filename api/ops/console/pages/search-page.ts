import { Type } from 'typebox';
import type { TimeOwner } from '../../../../shared/delivery/unit-of-work/partner-time.ts';
import { parseDomain } from '../../../../shared/market/names/domain-name.ts';
import {
  type ConsoleMatches,
  searchConsole,
} from '../../../../shared/operations/monitoring/console-read-model.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { ID_PREFIXES, type IdKind, isId } from '../../../../shared/platform/ids.ts';
import { timestamp } from '../../../pages/kit/format.ts';
import { emptyState, link, section } from '../../../pages/kit/page-parts.ts';
import { type PageNow, pageNowOfEach } from '../../../pages/kit/page-time.ts';
import { environmentTag, statusBadge } from '../../../pages/kit/status-badge.ts';
import { table } from '../../../pages/kit/table.ts';
import { consolePage } from '../console-page.ts';
import {
  auditPath,
  bulkJobPath,
  casePath,
  endpointPath,
  mailPath,
  offerPath,
  orderPath,
  partnerPath,
  personPath,
  settlementPath,
  settlementRunPath,
} from '../console-paths.ts';

/** Finds by a part of a domain, e-mail address, name or id; a whole id leads straight to its page. */
export const searchPage = consolePage({
  path: '/search',
  input: Type.Object({ q: Type.String({ maxLength: 200, default: '' }) }),
  async show(context, { q }) {
    const text = q.trim();
    const home = homeOf(text);
    if (home) return home;
    const found = text === '' ? NOTHING : await searchConsole(context, asciiOf(text));
    const parts = text === '' ? [] : matchTables(found, await pageNowOfEach(context, found.orders));
    return {
      title: text === '' ? 'Search' : `Search: ${text}`,
      section: null,
      searched: text,
      content:
        parts.length > 0
          ? html`${parts}`
          : emptyState(
              text === ''
                ? 'Enter a part of a domain, an e-mail address, a partner’s name, or an ID.'
                : 'Nothing matches. Try a part of the domain, the e-mail address or the ID.',
            ),
    };
  },
});

const NOTHING: ConsoleMatches = { orders: [], partners: [], keys: [], people: [], listings: [] };

/** A table for each kind of which something was found. */
function matchTables(found: ConsoleMatches, nowOf: (owner: TimeOwner) => PageNow): Markup[] {
  const tables: [title: string, columns: string[], rows: unknown[][]][] = [
    [
      'Orders',
      ['Domain', 'Status', 'Buyer', 'Partner', 'Recorded'],
      found.orders.map((order) => [
        html`${link(orderPath(order.id), order.domain)} ${environmentTag(order.environment)}`,
        statusBadge(order.status),
        order.buyerEmail,
        order.partnerName,
        timestamp(order.at, nowOf(order)),
      ]),
    ],
    [
      'Partners',
      ['Name', 'Status', 'ID'],
      found.partners.map((partner) => [
        link(partnerPath(partner.id), partner.name),
        statusBadge(partner.status),
        html`<span class="id">${partner.id}</span>`,
      ]),
    ],
    [
      'API keys',
      ['Key ID', 'Environment', 'Partner', 'Log'],
      found.keys.map((key) => [
        html`<span class="id">${key.id}</span>`,
        environmentTag(key.environment),
        link(partnerPath(key.partnerId), key.partnerName),
        link(auditPath(key.id), 'Audit trail'),
      ]),
    ],
    [
      'People',
      ['E-mail address', 'ID'],
      found.people.map((person) => [
        link(personPath(person.id), person.email),
        html`<span class="id">${person.id}</span>`,
      ]),
    ],
    [
      'Listings',
      ['Domain', 'Environment', 'Status'],
      found.listings.map((listing) => [
        listing.domain,
        environmentTag(listing.environment),
        statusBadge(listing.status),
      ]),
    ],
  ];
  return tables
    .filter(([, , rows]) => rows.length > 0)
    .map(([title, columns, rows]) => section(title, table(title, columns, rows, '')));
}

/** The page of each kind of id. What has none has an audit trail. */
const HOMES: Readonly<Record<IdKind, (id: string) => string>> = {
  order: orderPath,
  offer: offerPath,
  partner: partnerPath,
  user: personPath,
  settlement: settlementPath,
  settlementRun: settlementRunPath,
  brokerageCase: casePath,
  event: auditPath,
  quote: auditPath,
  transfer: auditPath,
  refund: auditPath,
  ledgerEntry: auditPath,
  webhookEndpoint: endpointPath,
  webhookDelivery: auditPath,
  webhookReplay: auditPath,
  affiliate: auditPath,
  checkoutSession: auditPath,
  payment: auditPath,
  dispute: auditPath,
  payout: auditPath,
  payoutFile: auditPath,
  referralLink: auditPath,
  commission: auditPath,
  oauthClient: auditPath,
  bulkJob: bulkJobPath,
  mail: mailPath,
  document: auditPath,
  accountLink: auditPath,
  apiRequest: auditPath,
};

/** Where an id leads; undefined for what is none. */
function homeOf(text: string): string | undefined {
  const kinds = Object.keys(ID_PREFIXES) as IdKind[];
  const kind = kinds.find((each) => isId(each, text));
  return kind && HOMES[kind](text);
}

/** A domain as it is stored; anything else as it is. */
function asciiOf(text: string): string {
  try {
    return parseDomain(text).ascii;
  } catch {
    return text;
  }
}
