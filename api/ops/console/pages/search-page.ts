import { Type } from 'typebox';
import { parseMarketDomain } from '../../../../shared/market/names/domain-name.ts';
import { DOCUMENT_KINDS } from '../../../../shared/messaging/documents/document.ts';
import type { TimeOwner } from '../../../../shared/messaging/unit-of-work/partner-time.ts';
import {
  type ConsoleMatches,
  searchConsole,
} from '../../../../shared/operations/monitoring/console-search.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { ID_PREFIXES, type IdKind, isId } from '../../../../shared/platform/ids.ts';
import { LOOK_THROUGH } from '../../../../shared/platform/page.ts';
import { emailText, instant, timestamp } from '../../../pages/kit/format.ts';
import {
  domainCell,
  domainLink,
  emptyState,
  link,
  section,
} from '../../../pages/kit/page-parts.ts';
import { type PageNow, pageNowOfEach } from '../../../pages/kit/page-time.ts';
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

/** Finds by part of a domain, email address, name or id; a complete id leads straight to its page. */
export const searchPage = consolePage({
  path: '/search',
  input: Type.Object({ q: Type.String({ maxLength: 200, default: '' }) }),
  async show(context, { q }) {
    const text = q.trim();
    const home = homeOf(text);
    if (home) return home;
    const found = text === '' ? null : await searchConsole(context, asciiOf(text));
    const parts = found ? await matchTables(context, asciiOf(text), found) : [];
    return {
      title: text === '' ? 'Search' : `Search: ${text}`,
      section: null,
      searched: text,
      content: html`${found?.maybeMoreOrders && MAYBE_MORE}
${parts.length > 0 ? parts : emptyState(found ? NOTHING : WHAT_TO_ENTER)}`,
    };
  },
});

const WHAT_TO_ENTER =
  'Enter part of a domain, an email address, a partner’s name or an ID; or the full request ID, document number or partner reference.';
const NOTHING = 'Nothing matches. Try a part of the domain, the email address or the ID.';
const MAYBE_MORE = html`<p class="intro">Many orders may match, so only the newest ${LOOK_THROUGH.toLocaleString('en-US')} were searched. Enter more of the domain or the email address.</p>`;

interface Times {
  now: PageNow;
  nowOf: (owner: TimeOwner) => PageNow;
}

/** How the matches of one kind are shown. */
interface Shown<Match> {
  title: string;
  /** The name that the search may have spelled out in full; a kind without a name is only found by a full match. */
  name?: (match: Match) => string;
  columns: Readonly<Record<string, (match: Match, times: Times) => unknown>>;
}

type Kind = keyof ConsoleMatches;
type MatchOf<K extends Kind> = ConsoleMatches[K][number];

const KINDS: { readonly [K in Kind]: Shown<MatchOf<K>> } = {
  orders: {
    title: 'Orders',
    name: ({ domain }) => domain,
    columns: {
      Domain: ({ id, domain, environment }) =>
        html`${domainLink(orderPath(id), domain)} ${environmentTag(environment)}`,
      Status: ({ status }) => statusBadge(status),
      Buyer: ({ buyerEmail }) => emailText(buyerEmail),
      Partner: ({ partnerName }) => partnerName,
      Recorded: (order, { nowOf }) => timestamp(order.at, nowOf(order)),
    },
  },
  partners: {
    title: 'Partners',
    name: ({ name }) => name,
    columns: {
      Name: ({ id, name }) => link(partnerPath(id), name),
      Status: ({ status }) => statusBadge(status),
      ID: idCell,
    },
  },
  keys: {
    title: 'API keys',
    name: ({ id }) => id,
    columns: {
      'Key ID': idCell,
      Environment: ({ environment }) => environmentTag(environment),
      Partner: partnerLink,
      Log: ({ id }) => link(auditPath(id), 'Audit trail'),
    },
  },
  people: {
    title: 'People',
    name: ({ email }) => email,
    columns: {
      'Email address': ({ id, email }) => link(personPath(id), email),
      ID: idCell,
    },
  },
  sessions: {
    title: 'Checkout sessions',
    columns: {
      Domain: ({ domain, environment }) =>
        html`${domainCell(domain)} ${environmentTag(environment)}`,
      Status: ({ status }) => statusBadge(status),
      Partner: partnerLink,
      Log: ({ id, orderId }) =>
        orderId ? link(orderPath(orderId), 'Order') : link(auditPath(id), 'Audit trail'),
    },
  },
  documents: {
    title: 'Documents',
    columns: {
      Document: ({ id, kind }) => link(documentPath(id), DOCUMENT_KINDS[kind].title),
      About: ({ subject }) => link(homeOf(subject) ?? auditPath(subject), subject),
      Partner: ({ partnerId, partnerName }) =>
        partnerId === null ? 'None' : partnerLink({ partnerId, partnerName: partnerName ?? '' }),
      Issued: ({ at }) => instant(at),
    },
  },
  requests: {
    title: 'API requests',
    columns: {
      Request: ({ method, path, environment }) =>
        html`<code>${method} ${path}</code> ${environmentTag(environment)}`,
      Answer: ({ status, errorCode }) => `${status} ${errorCode ?? ''}`,
      Partner: partnerLink,
      When: ({ at }, { now }) => timestamp(at, now),
    },
  },
  listings: {
    title: 'Listings',
    name: ({ domain }) => domain,
    columns: {
      Domain: ({ domain }) => domain,
      Environment: ({ environment }) => environmentTag(environment),
      Status: ({ status }) => statusBadge(status),
    },
  },
};

function idCell({ id }: { id: string }): Markup {
  return html`<span class="id">${id}</span>`;
}

function partnerLink({ partnerId, partnerName }: { partnerId: string; partnerName: string }) {
  return link(partnerPath(partnerId), partnerName);
}

/** Returns a table for each kind with matches; kinds with an exact match come first. */
async function matchTables(
  context: PageContext,
  text: string,
  found: ConsoleMatches,
): Promise<Markup[]> {
  const times = { now: context.now, nowOf: await pageNowOfEach(context, found.orders) };
  const shownAs = <K extends Kind>(kind: K) => {
    const { title, name, columns }: Shown<MatchOf<K>> = KINDS[kind];
    const matches: readonly MatchOf<K>[] = found[kind];
    const [first] = matches;
    if (first === undefined) return [];
    const isExact = !name || name(first).toLowerCase() === text.toLowerCase();
    const cells = Object.values(columns);
    const rows = matches.map((match) => cells.map((cell) => cell(match, times)));
    return [{ isExact, shown: section(title, table(title, Object.keys(columns), rows, '')) }];
  };
  return (Object.keys(KINDS) as Kind[])
    .flatMap(shownAs)
    .sort((one, other) => Number(other.isExact) - Number(one.isExact))
    .map(({ shown }) => shown);
}

/** The page of each kind of id. Kinds without a page have an audit trail. */
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
  transferOut: auditPath,
  renewal: auditPath,
  legalHold: auditPath,
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
  screeningHit: auditPath,
  registrant: auditPath,
  registrantChange: auditPath,
};

/** Returns the page of an id; undefined if the text is not an id. */
function homeOf(text: string): string | undefined {
  const kinds = Object.keys(ID_PREFIXES) as IdKind[];
  const kind = kinds.find((each) => isId(each, text));
  return kind && HOMES[kind](text);
}

/** Returns a domain as it is stored; other text unchanged. */
function asciiOf(text: string): string {
  try {
    return parseMarketDomain(text).ascii;
  } catch {
    return text;
  }
}
