import type { ListingStatus } from '../../market/inventory/listing.ts';
import { type DocumentKind, parseDocumentNumber } from '../../messaging/documents/document.ts';
import type { PartnerStatus } from '../../people/partners/partner.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  bigint,
  boolean,
  integer,
  json,
  nullable,
  text,
  textOf,
} from '../../platform/database/sql-types.ts';
import type { SessionStatus } from '../../sales/checkout/checkout-session.ts';
import type { OrderStatus } from '../../sales/orders/order.ts';
import { type AsJson, parseAt } from './json-times.ts';

/** The matches of a console search: the newest {@link MAX_MATCHES} of each kind. */
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
  /** Checkout sessions with this partner reference. */
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
    /** Null if no partner is involved. */
    partnerId: string | null;
    partnerName: string | null;
    at: Date;
  }[];
  /** API requests with this request id. */
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

/** The result of a console search. */
export interface ConsoleSearch extends ConsoleMatches {
  /** Whether so many orders may match that only the newest were searched. */
  maybeMoreOrders: boolean;
}

const MAX_MATCHES = 25;

/** Returns SQL for the newest orders in a query. */
const newestOf = (orders: string, condition = 'true') =>
  `(select id from ${orders} where ${condition} order by id desc limit ${MAX_MATCHES})`;

/** A text in at least this share of orders is common: at least two of the hundred sampled values. */
const COMMON_SHARE = 0.015;

/** Returns SQL for the share of orders whose column contains the text, estimated from Postgres's statistics. */
const shareOf = (column: string) => `(
        select coalesce(sum(v.share), 0) from pg_stats s, lateral (
            select value, 1.0 / array_length(s.histogram_bounds, 1) as share
            from unnest(s.histogram_bounds::text::text[]) as value
            union all
            select * from unnest(s.most_common_vals::text::text[], s.most_common_freqs)) v
        where s.schemaname = 'public' and s.tablename = 'orders' and s.attname = '${column}' and v.value ilike :part)`;

/**
 * Finds orders by a part of their domain or buyer. The index would first find all matches, so for a common part only
 * the newest orders are searched, and domains that begin with it.
 */
const ORDERS_WITH_PART = [
  newestOf(
    '(select order_id as id from order_search where domain like :part offset 0) o',
    'not (select in_domains from common)',
  ),
  newestOf(
    '(select order_id as id from order_search where buyer_email ilike :part offset 0) o',
    'not (select in_addresses from common)',
  ),
  newestOf(
    '(select id, domain, buyer_email from orders order by id desc limit :lookThrough) o',
    '(domain like :part or buyer_email ilike :part) and (select in_domains or in_addresses from common)',
  ),
  newestOf(
    `(select id from orders where domain like lower(:beginning) order by domain limit ${MAX_MATCHES}) o`,
    '(select in_domains from common)',
  ),
];

/** Returns SQL for the first listings of an environment that begin with the text; an exact match comes first. */
const firstListings = (
  environment: Environment,
) => `(select domain, environment, status from listings
         where environment = '${environment}' and domain like lower(:beginning) order by domain limit ${MAX_MATCHES})`;

/**
 * Finds matches for a text, with a lower-case LIKE pattern (null if too short for an index): orders by their
 * whole domain (`orders_of_domain`), by a part of their domain or buyer (`order_search_parts`, or a common one among as many
 * of the newest as are searched) or the beginning of their id, key pairs and listings by their beginning (their
 * unique indexes), accounts by a part of their address (`users_search`), partners by a part of their name or the
 * beginning of their id (all are read: they are few).
 */
export const selectMatches = defineStatement({
  params: { text, part: nullable(text), beginning: text, lookThrough: bigint },
  row: {
    isCommon: boolean,
    orders: nullable(json<AsJson<ConsoleMatches['orders'][number]>[]>()),
    partners: nullable(json<ConsoleMatches['partners']>()),
    keys: nullable(json<ConsoleMatches['keys']>()),
    people: nullable(json<ConsoleMatches['people']>()),
    listings: nullable(json<ConsoleMatches['listings']>()),
  },
  text: `with common as materialized (
      select ${shareOf('domain')} > ${COMMON_SHARE} as in_domains,
        ${shareOf('buyer_email')} > ${COMMON_SHARE} as in_addresses)
    select (select in_domains or in_addresses from common) as "isCommon",
      (select json_agg(o) from (
         select o.id, o.domain, o.status, o.environment, p.id as "partnerId", p.name as "partnerName",
           o.buyer_email as "buyerEmail", o.created_at as at
         from (${[
           newestOf('orders', 'domain = lower(:text) and :part::text is not null'),
           ...ORDERS_WITH_PART,
           newestOf('orders', 'external_payment_ref = :text'),
           newestOf('orders', 'id like :beginning'),
         ].join(' union ')}) found
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

/** Finds exact values: the partner reference of a session, the number of a document, the id of a request. */
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

/** Shorter texts are matched as prefixes only: trigrams need three characters. */
const MIN_PART = 3;

const NO_NUMBER = { environment: null, kind: null, year: null, number: null };

/** Returns the matches for a text, see {@link selectMatches}. */
export async function readMatches(
  sql: Sql,
  text: string,
  lookThrough: number,
): Promise<ConsoleSearch> {
  const literal = text.replace(/[\\%_]/g, '\\$&');
  const found = await selectMatches.one(sql, {
    text,
    part: text.length < MIN_PART ? null : `%${literal.toLowerCase()}%`,
    beginning: `${literal}%`,
    lookThrough,
  });
  const { environment, kind, year, number } = parseDocumentNumber(text) ?? NO_NUMBER;
  const quoted = await selectQuoted.one(sql, { text, environment, kind, year, number });
  const orders = (found.orders ?? []).map(parseAt);
  return {
    orders,
    partners: found.partners ?? [],
    keys: found.keys ?? [],
    people: found.people ?? [],
    sessions: quoted.sessions ?? [],
    documents: (quoted.documents ?? []).map(parseAt),
    requests: (quoted.requests ?? []).map(parseAt),
    listings: found.listings ?? [],
    maybeMoreOrders: found.isCommon && orders.length < MAX_MATCHES,
  };
}
