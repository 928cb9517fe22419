import { Type } from 'typebox';
import { DOCUMENT_KINDS } from '../../../../shared/delivery/documents/document.ts';
import { parseDomain } from '../../../../shared/market/names/domain-name.ts';
import {
  type ConsoleMatches,
  searchConsole,
} from '../../../../shared/operations/monitoring/console-read-model.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { ID_PREFIXES, type IdKind, isId } from '../../../../shared/platform/ids.ts';
import { instant, timestamp } from '../../../pages/kit/format.ts';
import { emptyState, link, section } from '../../../pages/kit/page-parts.ts';
import { pageNowOfEach } from '../../../pages/kit/page-time.ts';
import { environmentTag, statusBadge } from '../../../pages/kit/status-badge.ts';
import { table } from '../../../pages/kit/table.ts';
import { consolePage, type PageContext } from '../console-page.ts';
import {
  auditPath,
  bulkJobPath,
  casePath,
  documentPath,
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
    const parts = text === '' ? [] : await matchTables(context, found, asciiOf(text));
    return {
      title: text === '' ? 'Search' : `Search: ${text}`,
      section: null,
      searched: text,
      content:
        parts.length > 0
          ? html`${parts}`
          : emptyState(
              text === ''
                ? 'Enter a part of a domain, an e-mail address, a partner’s name or an ID; or a whole request ID, document number or reference of a partner.'
                : 'Nothing matches. Try a part of the domain, the e-mail address or the ID.',
            ),
    };
  },
});

const NOTHING: ConsoleMatches = {
  orders: [],
  partners: [],
  keys: [],
  people: [],
  sessions: [],
  documents: [],
  requests: [],
  listings: [],
};

/** A table for each kind of which something was found; those with what was searched for word by word come first. */
async function matchTables(
  context: PageContext,
  found: ConsoleMatches,
  text: string,
): Promise<Markup[]> {
  const nowOf = await pageNowOfEach(context, [...found.orders]);
  const isExact = (name: string | undefined) => name?.toLowerCase() === text.toLowerCase();
  const tables: [title: string, columns: string[], rows: unknown[][], exact: boolean][] = [
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
      isExact(found.orders[0]?.domain),
    ],
    [
      'Partners',
      ['Name', 'Status', 'ID'],
      found.partners.map((partner) => [
        link(partnerPath(partner.id), partner.name),
        statusBadge(partner.status),
        html`<span class="id">${partner.id}</span>`,
      ]),
      isExact(found.partners[0]?.name),
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
      isExact(found.keys[0]?.id),
    ],
    [
      'People',
      ['E-mail address', 'ID'],
      found.people.map((person) => [
        link(personPath(person.id), person.email),
        html`<span class="id">${person.id}</span>`,
      ]),
      isExact(found.people[0]?.email),
    ],
    [
      'Checkout sessions',
      ['Domain', 'Status', 'Partner', 'Log'],
      found.sessions.map((session) => [
        html`${session.domain} ${environmentTag(session.environment)}`,
        statusBadge(session.status),
        link(partnerPath(session.partnerId), session.partnerName),
        session.orderId
          ? link(orderPath(session.orderId), 'Order')
          : link(auditPath(session.id), 'Audit trail'),
      ]),
      true,
    ],
    [
      'Documents',
      ['Document', 'About', 'Partner', 'Issued'],
      found.documents.map((document) => [
        link(documentPath(document.id), DOCUMENT_KINDS[document.kind].title),
        link(homeOf(document.subject) ?? auditPath(document.subject), document.subject),
        link(partnerPath(document.partnerId), document.partnerName),
        instant(document.at),
      ]),
      true,
    ],
    [
      'API requests',
      ['Request', 'Answer', 'Partner', 'When'],
      found.requests.map((request) => [
        html`<code>${request.method} ${request.path}</code> ${environmentTag(request.environment)}`,
        `${request.status} ${request.errorCode ?? ''}`,
        link(partnerPath(request.partnerId), request.partnerName),
        timestamp(request.at, context.now),
      ]),
      true,
    ],
    [
      'Listings',
      ['Domain', 'Environment', 'Status'],
      found.listings.map((listing) => [
        listing.domain,
        environmentTag(listing.environment),
        statusBadge(listing.status),
      ]),
      isExact(found.listings[0]?.domain),
    ],
  ];
  return tables
    .filter(([, , rows]) => rows.length > 0)
    .sort(([, , , one], [, , , other]) => Number(other) - Number(one))
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
