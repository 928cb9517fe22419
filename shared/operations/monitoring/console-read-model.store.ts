import type { DomainRegistrant } from '../../domains/domain-registrants/domain-registrant.ts';
import type { ListingStatus } from '../../market/inventory/listing.ts';
import { type DocumentKind, parseDocumentNumber } from '../../messaging/documents/document.ts';
import type { DeliveryStatus } from '../../messaging/webhooks/delivery.ts';
import type { PartnerStatus } from '../../people/partners/partner.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { SessionStatus } from '../../sales/checkout/checkout-session.ts';
import type { OrderStatus } from '../../sales/orders/order.ts';

/** How much waits for people, by queue; each up to {@link COUNT_UP_TO}. Only LIVE is work; SANDBOX is practice. */
export type WorkByEnvironment = Record<Environment, WorkCounts>;

export interface WorkCounts {
  review: number;
  /** Purchases that wait before their payment. */
  checkoutsInReview: number;
  toPush: number;
  underWay: number;
  actionRequired: number;
  failed: number;
  toConfirm: number;
  /** Refunds whose push could not be stopped, or nobody knows. */
  refundsToDecide: number;
  /** Messages of the registry that could not be read; it knows LIVE domains only. */
  registryMessages: number;
  /** Domains that a registry would not take out of the DNS, or back into it; LIVE only. */
  refusedHolds: number;
  /** Money that is to go back to buyers by hand. */
  repaymentsOwed: number;
  /** Paid for more than an hour ago and not done; owners have LIVE domains only. */
  renewalsToFinish: number;
  openCases: number;
  agreedCases: number;
  /** Without those that are held, since their partner is suspended. */
  pendingPayouts: number;
  failingEndpoints: number;
  /** Closed and not paid. */
  unpaidSettlements: number;
  /** How many of them are overdue. */
  overdueSettlements: number;
}

/** Beyond this it is just many. */
const COUNT_UP_TO = 10_000;

/** What time it is in the sandbox that a statement is of. */
const TIME_OF_SANDBOX = `:now::timestamptz + interval '1 millisecond' * coalesce(
           (select ahead_ms from sandbox_clocks k where k.partner_id = s.partner_id), 0)`;

function countsOf(environment: Environment): string {
  const upTo = (table: string, condition: string) =>
    `(select count(*) from (select 1 from ${table} where environment = '${environment}' and ${condition}
        limit ${COUNT_UP_TO}) counted)`;
  return `(
    select json_build_object(
      'review', ${upTo('orders', `status = 'MANUAL_REVIEW'`)},
      'checkoutsInReview', ${upTo('checkout_sessions', `status = 'open' and review_since is not null`)},
      'toPush', ${upTo('orders', `status in ('EXTERNALLY_PAID', 'PAID') and action_required is null`)},
      'underWay', count(*) filter (where t.status in ('queued', 'pushing', 'pending_registry')),
      'actionRequired', count(*) filter (where t.status = 'action_required'),
      'failed', count(*) filter (where t.status = 'failed'),
      'toConfirm', count(*) filter (where t.status = 'awaiting_confirmation' and t.cancellation is null),
      'refundsToDecide', (select count(*) from (select 1 from transfers c join orders o on o.id = c.order_id
        where c.cancellation in ('too_late', 'unanswered') and o.environment = '${environment}'
        limit ${COUNT_UP_TO}) counted),
      'registryMessages', ${
        environment === 'LIVE'
          ? `(select count(*) from (select 1 from registrar_messages
              where fault is not null and seen_at is null limit ${COUNT_UP_TO}) counted)`
          : '0'
      },
      'refusedHolds', ${
        environment === 'LIVE' ? upTo('domain_registrants', 'hold_refused_at is not null') : '0'
      },
      'renewalsToFinish', ${
        environment === 'LIVE'
          ? `(select count(*) from (select 1 from renewals
              where status = 'paid' and updated_at < :now::timestamptz - interval '1 hour'
              limit ${COUNT_UP_TO}) counted)`
          : '0'
      },
      'repaymentsOwed', ${upTo('buyer_repayments', `status = 'owed'`)},
      'openCases', ${upTo('brokerage_cases', 'closed_at is null')},
      'agreedCases', ${upTo('brokerage_cases', `closed_at is null and status = 'AGREED'`)},
      'pendingPayouts', ${upTo(
        'payouts y',
        `status = 'pending' and not exists (
         select 1 from partners p where p.id = y.partner_id and p.status = 'suspended')`,
      )},
      'failingEndpoints', ${upTo(
        'webhook_endpoints',
        `(failing_since is not null or not active)
         and disabled_reason is distinct from 'removed'`,
      )},
      'unpaidSettlements', ${upTo('settlements', `status = 'closed'`)},
      'overdueSettlements', ${upTo(
        'settlements s',
        `status = 'closed' and amount_owed_cents > 0
         and due_at < ${environment === 'LIVE' ? ':now' : TIME_OF_SANDBOX}`,
      )})
    from (select id from orders where environment = '${environment}'
      and status = 'TRANSFER_IN_PROGRESS' limit ${COUNT_UP_TO}) o
    join transfers t on t.order_id = o.id)`;
}

/** Every count of both environments in one statement; each reads the open work only, by an index of it. */
export const selectOpenWork = defineStatement({
  params: { now: timestamptz },
  row: { LIVE: json<WorkCounts>(), SANDBOX: json<WorkCounts>() },
  text: `select ${countsOf('LIVE')} as "LIVE", ${countsOf('SANDBOX')} as "SANDBOX"`,
});

const LEDGER_CHECK_SUMMARY = {
  at: timestamptz,
  ok: boolean,
  entries: bigint,
  imbalances: integer,
  /** When the whole ledger was recounted; null when it never was. */
  wholeAt: nullable(timestamptz),
};
/** What the last recount of the ledger said, together with the last one of the whole of it. */
export type LedgerCheckSummary = RowOf<typeof LEDGER_CHECK_SUMMARY>;

/** What the last recount said; no row before the first one. */
export const selectLedgerCheckSummary = defineStatement({
  row: LEDGER_CHECK_SUMMARY,
  text: `select last.at, last.ok and coalesce(whole.ok, true) as ok, last.entries, whole.at as "wholeAt",
      greatest(jsonb_array_length(last.imbalances), jsonb_array_length(whole.imbalances)) as imbalances
    from (select * from ledger_checks order by id desc limit 1) last
    left join (select * from ledger_checks where since is null order by id desc limit 1) whole on true`,
});

interface OrderLedgerEntry {
  id: string;
  kind: string;
  at: Date;
  postings: { account: string; currency: string; amountCents: number }[];
}

interface OrderDelivery {
  id: string;
  eventType: string;
  endpointId: string;
  endpointName: string;
  state: DeliveryStatus;
  attempts: number;
  at: Date;
}

/** What the refunds, the market, the ledger, the webhooks and the audit trail say about an order. */
export interface OrderHistory {
  refund: {
    id: string;
    kind: string;
    amountCents: number;
    currency: string;
    reason: string;
    note: string | null;
    requestedBy: string;
    at: Date;
  } | null;
  /** Whether somebody answered at the address of the registrant; null while the domain is registered for none of ours. */
  registrant: Pick<DomainRegistrant, 'verification' | 'hold' | 'verifyBy'> | null;
  /** Where the listing of its domain stands; null for a domain that was not on the market. */
  listing: { status: ListingStatus } | null;
  ledger: OrderLedgerEntry[];
  /** The newest first. */
  deliveries: OrderDelivery[];
  /** The newest first. */
  audit: { action: string; who: string; at: Date; before: unknown; after: unknown }[];
}

const MAX_HISTORY_ROWS = 100;

/** As it arrives inside of JSON: with its time as text. */
type AsJson<T extends { at: Date }> = Omit<T, 'at'> & { at: string };

/**
 * Refund, registrant, listing, ledger entries, webhook deliveries and audit trail of an order, in one statement. Its events are
 * found by when they were made, since there is no index of their subject.
 */
export const selectOrderHistory = defineStatement({
  params: { orderId: text, firsts: arrayOf(text), lasts: arrayOf(text) },
  row: {
    refund: nullable(json<AsJson<NonNullable<OrderHistory['refund']>>>()),
    registrant: nullable(
      json<Pick<DomainRegistrant, 'verification' | 'hold'> & { verifyBy: string }>(),
    ),
    listing: nullable(json<NonNullable<OrderHistory['listing']>>()),
    ledger: nullable(json<AsJson<OrderLedgerEntry>[]>()),
    deliveries: nullable(json<AsJson<OrderDelivery>[]>()),
    audit: nullable(json<AsJson<OrderHistory['audit'][number]>[]>()),
  },
  text: `select
      (select json_build_object('id', r.id, 'kind', r.kind, 'amountCents', r.amount_cents,
         'currency', r.currency, 'reason', r.reason, 'note', r.note, 'requestedBy', r.requested_by,
         'at', r.created_at) from refunds r where r.order_id = :orderId) as refund,
      (select json_build_object('verification', d.verification, 'hold', d.hold, 'verifyBy', d.verify_by)
       from domain_registrants d where d.order_id = :orderId
       order by d.registered_at desc limit 1) as registrant,
      (select json_build_object('status', l.status) from orders o join listings l on l.id = o.listing_id
       where o.id = :orderId) as listing,
      (select json_agg(json_build_object('id', e.id, 'kind', e.kind, 'at', e.created_at,
         'postings', (select json_agg(json_build_object('account', p.account, 'currency', p.currency,
            'amountCents', p.amount_cents) order by p.line)
            from ledger_postings p where p.entry_id = e.id)) order by e.id)
       from ledger_entries e where e.order_id = :orderId) as ledger,
      (select json_agg(d) from (
         select d.id, e.type as "eventType", w.id as "endpointId", w.name as "endpointName",
           d.state, d.attempts, d.created_at as at
         from unnest(:firsts::text[], :lasts::text[]) as made (first, last)
         -- By itself for each moment: with several, all events would be read at once.
         cross join lateral (select id, type from events
           where id between made.first and made.last and subject = :orderId offset 0) e
         join webhook_deliveries d on d.event_id = e.id
         join webhook_endpoints w on w.id = d.endpoint_id
         order by d.id desc limit ${MAX_HISTORY_ROWS}) d) as deliveries,
      (select json_agg(a) from (
         select a.action, coalesce(u.email, a.actor) as who, a.at, a.before, a.after
         from audit_log a left join users u on u.id = a.actor
         where a.subject = :orderId order by a.id desc limit ${MAX_HISTORY_ROWS}) a) as audit`,
});

/** What a search of the console finds, of each kind the newest {@link MAX_MATCHES}. */
export interface ConsoleMatches {
  orders: {
    id: string;
    domain: string;
    status: OrderStatus;
    environment: Environment;
    partnerId: string;
    partnerName: string;
    buyerEmail: string;
    at: Date;
  }[];
  partners: { id: string; name: string; status: PartnerStatus }[];
  keys: { id: string; environment: string; partnerId: string; partnerName: string }[];
  people: { id: string; email: string }[];
  /** With the reference of the partner. */
  sessions: {
    id: string;
    domain: string;
    status: SessionStatus;
    environment: Environment;
    orderId: string | null;
    partnerId: string;
    partnerName: string;
  }[];
  documents: {
    id: string;
    kind: DocumentKind;
    subject: string;
    /** Null where no partner has a part in it. */
    partnerId: string | null;
    partnerName: string | null;
    at: Date;
  }[];
  /** With this id, which their answers had. */
  requests: {
    method: string;
    path: string;
    status: number;
    errorCode: string | null;
    environment: Environment;
    partnerId: string;
    partnerName: string;
    at: Date;
  }[];
  listings: { domain: string; environment: string; status: ListingStatus }[];
}

const MAX_MATCHES = 25;

/** The newest orders that a condition finds. */
const newestOrders = (condition: string) =>
  `(select id from orders where ${condition} order by id desc limit ${MAX_MATCHES})`;

/** The first listings of an environment that begin with the text; the one of this very name is the first of them. */
const firstListings = (
  environment: Environment,
) => `(select domain, environment, status from listings
         where environment = '${environment}' and domain like lower(:beginning) order by domain limit ${MAX_MATCHES})`;

/**
 * Finds by a text and a pattern for LIKE of its lower case, null where it is too short for an index: orders by their
 * whole domain (`orders_of_domain`), by a part of their domain or buyer (`orders_search`, or where most have it the
 * newest orders) or the beginning of their id, key pairs and listings by their beginning (their unique indexes), accounts
 * by a part of their address (`users_search`), partners by a part of their name or the beginning of their id (all are
 * read: they are few).
 */
export const selectMatches = defineStatement({
  params: { text, part: nullable(text), beginning: text },
  row: {
    orders: nullable(json<AsJson<ConsoleMatches['orders'][number]>[]>()),
    partners: nullable(json<ConsoleMatches['partners']>()),
    keys: nullable(json<ConsoleMatches['keys']>()),
    people: nullable(json<ConsoleMatches['people']>()),
    listings: nullable(json<ConsoleMatches['listings']>()),
  },
  text: `select
      (select json_agg(o) from (
         select o.id, o.domain, o.status, o.environment, p.id as "partnerId", p.name as "partnerName",
           o.buyer_email as "buyerEmail", o.created_at as at
         from (${[
           'domain = lower(:text) and :part::text is not null',
           'domain like :part::text',
           'buyer_email ilike :part::text',
           'external_payment_ref = :text',
           'id like :beginning',
         ]
           .map(newestOrders)
           .join(' union ')}) found
         join orders o on o.id = found.id join partners p on p.id = o.partner_id
         order by (o.domain = lower(:text)) desc, o.id desc limit ${MAX_MATCHES}) o) as orders,
      (select json_agg(p) from (
         select id, name, status from partners
         where position(lower(:text) in lower(name)) > 0 or id like :beginning
         order by (lower(name) = lower(:text)) desc, id desc limit ${MAX_MATCHES}) p) as partners,
      (select json_agg(k) from (
         select c.key_id as id, c.environment, c.partner_id as "partnerId", p.name as "partnerName"
         from credentials c join partners p on p.id = c.partner_id
         where c.key_id like :beginning order by c.created_at desc limit ${MAX_MATCHES}) k) as keys,
      (select json_agg(u) from (
         select id, email from users where email like :part::text or id like :beginning
         order by (email = lower(:text)) desc, id desc limit ${MAX_MATCHES}) u) as people,
      (select json_agg(l) from (
         select domain, environment, status
         from (${firstListings('LIVE')} union all ${firstListings('SANDBOX')}) of_both
         order by domain <> lower(:text), environment, domain limit ${MAX_MATCHES}) l) as listings`,
});

/** Finds what somebody quotes whole: the partner's reference of a session, the number of a document, the id of a request. */
export const selectQuoted = defineStatement({
  params: {
    text,
    environment: nullable(textOf<Environment>()),
    kind: nullable(textOf<DocumentKind>()),
    year: nullable(integer),
    number: nullable(integer),
  },
  row: {
    sessions: nullable(json<ConsoleMatches['sessions']>()),
    documents: nullable(json<AsJson<ConsoleMatches['documents'][number]>[]>()),
    requests: nullable(json<AsJson<ConsoleMatches['requests'][number]>[]>()),
  },
  text: `select
      (select json_agg(s) from (
         select s.id, s.domain, s.status, s.environment, s.order_id as "orderId", p.id as "partnerId",
           p.name as "partnerName"
         from checkout_sessions s join partners p on p.id = s.partner_id
         where s.client_reference = :text order by s.id desc limit ${MAX_MATCHES}) s) as sessions,
      (select json_agg(d) from (
         select d.id, d.kind, d.subject, p.id as "partnerId", p.name as "partnerName", d.issued_at as at
         from documents d left join partners p on p.id = d.partner_id
         where d.environment = :environment and d.kind = :kind and d.year = :year and d.number = :number
         order by d.id desc limit ${MAX_MATCHES}) d) as documents,
      (select json_agg(r) from (
         select r.method, r.path, r.status, r.error_code as "errorCode", r.environment, p.id as "partnerId",
           p.name as "partnerName", r.created_at as at
         from api_requests r join partners p on p.id = r.partner_id
         where r.request_id = :text order by r.id desc limit ${MAX_MATCHES}) r) as requests`,
});

/** What the other tables say about an order, see {@link selectOrderHistory}. */
export async function readOrderHistory(
  sql: Sql,
  orderId: string,
  events: { firsts: readonly string[]; lasts: readonly string[] },
): Promise<OrderHistory> {
  const found = await selectOrderHistory.one(sql, { ...events, orderId });
  const { registrant } = found;
  return {
    refund: found.refund && parseAt(found.refund),
    registrant: registrant && { ...registrant, verifyBy: new Date(registrant.verifyBy) },
    listing: found.listing,
    ledger: (found.ledger ?? []).map(parseAt),
    deliveries: (found.deliveries ?? []).map(parseAt),
    audit: (found.audit ?? []).map(parseAt),
  };
}

/** Below this many characters a text is only looked for at the beginning: trigrams have three. */
const MIN_PART = 3;

const NO_NUMBER = { environment: null, kind: null, year: null, number: null };

/** What a text finds, see {@link selectMatches}. */
export async function readMatches(sql: Sql, text: string): Promise<ConsoleMatches> {
  const literal = text.replace(/[\\%_]/g, '\\$&');
  const found = await selectMatches.one(sql, {
    text,
    part: text.length < MIN_PART ? null : `%${literal.toLowerCase()}%`,
    beginning: `${literal}%`,
  });
  const { environment, kind, year, number } = parseDocumentNumber(text) ?? NO_NUMBER;
  const quoted = await selectQuoted.one(sql, { text, environment, kind, year, number });
  return {
    orders: (found.orders ?? []).map(parseAt),
    partners: found.partners ?? [],
    keys: found.keys ?? [],
    people: found.people ?? [],
    sessions: quoted.sessions ?? [],
    documents: (quoted.documents ?? []).map(parseAt),
    requests: (quoted.requests ?? []).map(parseAt),
    listings: found.listings ?? [],
  };
}

/** Times inside of JSON arrive as text. */
function parseAt<T extends { at: string }>(row: T): Omit<T, 'at'> & { at: Date } {
  return { ...row, at: new Date(row.at) };
}
