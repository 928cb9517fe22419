import {
  type ListingStatus,
  type PremiumRow,
  type PremiumTerms,
  premiumTermsIn,
  premiumTermsOf,
} from '../../market/inventory/listing.ts';
import { unicodeOf } from '../../market/names/domain-name.ts';
import type { PartnerStatus } from '../../people/partners/partner.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  integer,
  jsonb,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import {
  TIME_PAGE,
  timeOrderSql,
  timePage,
  timePageSql,
} from '../../platform/database/time-page.ts';
import { Money } from '../../platform/money.ts';
import {
  type CheckoutSession,
  REVIEW_DECLINED,
  SESSION_MOVES,
  SESSION_STATUSES,
  type SessionMoveName,
  type SessionOwner,
  type SessionStatus,
} from './checkout-session.ts';

/** The columns of a session with the table alias `s`. */
export const SESSION_COLUMNS = `s.id, s.partner_id as "partnerId", s.environment, s.listing_id as "listingId", s.brokerage_case_id as "brokerageCaseId", s.domain,
  s.price_cents as "priceCents", s.currency, s.commission_bps as "commissionBps", s.status,
  s.return_url as "returnUrl", s.cancel_url as "cancelUrl", s.client_reference as "clientReference",
  s.buyer_email as "buyerEmail", s.buyer_name as "buyerName", s.buyer_country as "buyerCountry",
  s.referral_code as "referralCode", s.quote_id as "quoteId", s.last_decline as "lastDecline", s.order_id as "orderId",
  s.review_since as "reviewSince", s.review_reasons as "reviewReasons", s.cleared_reasons as "clearedReasons",
  s.created_at as "createdAt", s.updated_at as "updatedAt", s.price_locked_until as "priceLockedUntil",
  s.expires_at as "expiresAt"`;

/** The types of {@link SESSION_COLUMNS}. */
export const SESSION = {
  id: text,
  partnerId: text,
  environment: textOf<Environment>(),
  listingId: nullable(bigint),
  brokerageCaseId: nullable(text),
  domain: text,
  priceCents: bigint,
  currency: text,
  commissionBps: integer,
  status: textOf<SessionStatus>(),
  returnUrl: nullable(text),
  cancelUrl: nullable(text),
  clientReference: nullable(text),
  buyerEmail: nullable(text),
  buyerName: nullable(text),
  buyerCountry: nullable(text),
  referralCode: nullable(text),
  quoteId: nullable(text),
  lastDecline: nullable(text),
  orderId: nullable(text),
  reviewSince: nullable(timestamptz),
  reviewReasons: arrayOf(text),
  clearedReasons: arrayOf(text),
  createdAt: timestamptz,
  updatedAt: timestamptz,
  priceLockedUntil: timestamptz,
  expiresAt: timestamptz,
};

/** How sessions with a status at `now` are stored. An expired session stays `open` until a worker marks it. */
const STORED_AS: Readonly<Record<SessionStatus | 'all', readonly string[]>> = {
  all: SESSION_STATUSES.map((status) => `s.status = '${status}'`),
  open: [`s.status = 'open' and s.expires_at > :now`],
  paid: [`s.status = 'paid'`],
  failed: [`s.status = 'failed'`],
  cancelled: [`s.status = 'cancelled'`],
  expired: [`s.status = 'expired'`, `s.status = 'open' and s.expires_at <= :now`],
};

/** The SQL for the newest sessions of a stored status, using the index `checkout_sessions_by_status`. */
const newestOf = (condition: string) => `(select s.* from checkout_sessions s
      where s.partner_id = :partnerId and s.environment = :environment and ${condition}
        and ${timePageSql('s.created_at', 's.id')})`;

/** Selects a page of a partner's sessions, newest first: all, or those with a status at `now`. */
export const selectSessions = variantsOf(['all', ...SESSION_STATUSES], (status) =>
  defineStatement({
    params: {
      partnerId: text,
      environment: textOf<Environment>(),
      now: timestamptz,
      ...TIME_PAGE,
    },
    row: SESSION,
    text: `select ${SESSION_COLUMNS} from (${STORED_AS[status].map(newestOf).join(' union all ')}) s
      ${timeOrderSql('s.created_at', 's.id')}`,
    plan: 'once',
  }),
);

/** Inserts a session. */
export const insertSession = defineStatement({
  params: SESSION,
  text: `insert into checkout_sessions (id, partner_id, environment, listing_id, brokerage_case_id, domain, price_cents,
      currency, commission_bps, status, return_url, cancel_url, client_reference, buyer_email, buyer_name,
      buyer_country, referral_code, quote_id, last_decline, order_id, review_since, review_reasons,
      cleared_reasons, created_at, updated_at, price_locked_until,
      expires_at)
    values (:id, :partnerId, :environment, :listingId, :brokerageCaseId, :domain, :priceCents,
      :currency, :commissionBps, :status, :returnUrl, :cancelUrl, :clientReference, :buyerEmail, :buyerName,
      :buyerCountry, :referralCode, :quoteId, :lastDecline, :orderId, :reviewSince, :reviewReasons,
      :clearedReasons, :createdAt, :updatedAt, :priceLockedUntil,
      :expiresAt)`,
});

/**
 * Selects a session of this partner, or of any partner with `anyone`, and its listing at `now` in real time. A brokered
 * domain counts as listed at its session's price while its deal can be paid. Its owner may have listed it meanwhile
 * (`d`).
 */
export const selectWithListing = defineStatement({
  params: {
    id: text,
    anyone: boolean,
    partnerId: nullable(text),
    environment: nullable(textOf<Environment>()),
    now: timestamptz,
  },
  row: {
    ...SESSION,
    listingStatus: textOf<ListingStatus>(),
    legalHold: boolean,
    listingPrice: bigint,
    listingCurrency: text,
    domainUnicode: nullable(text),
    premium: nullable(jsonb<PremiumRow>()),
    partnerName: text,
    partnerStatus: textOf<PartnerStatus>(),
    heldByOther: boolean,
    heldUntil: nullable(timestamptz),
  },
  text: `select ${SESSION_COLUMNS},
      case when s.brokerage_case_id is null
          then case when s.created_at < l.reopened_at then 'sold' else l.status end
        when c.status = 'AGREED' and not exists (select from orders o
          where o.environment = c.environment and o.domain = c.domain
            and (o.created_at >= c.created_at or o.transfer_completed_at is null)
            and o.status not in ('REFUNDED', 'CANCELLED'))
        then 'listed' else 'sold' end as "listingStatus",
      coalesce(l.legal_hold, d.legal_hold, s.environment = 'LIVE' and exists (select from legal_holds h
        where h.domain = s.domain and h.lifted_at is null)) as "legalHold",
      coalesce(l.price_cents, s.price_cents) as "listingPrice",
      coalesce(l.currency, s.currency) as "listingCurrency",
      l.domain_unicode as "domainUnicode", l.premium, p.name as "partnerName",
      p.status as "partnerStatus",
      exists (select from quotes q
        where q.listing_id = coalesce(s.listing_id, d.id) and q.state = 'open' and q.expires_at - q.ahead_ms * interval '1 millisecond' > :now
          and case when coalesce(q.checkout_session_id, q.offer_id) is null
              then q.partner_id <> s.partner_id
              else q.checkout_session_id is distinct from s.id end) as "heldByOther",
      (select max(q.expires_at) from quotes q
        where q.listing_id = coalesce(s.listing_id, d.id) and q.state = 'open' and q.expires_at - q.ahead_ms * interval '1 millisecond' > :now
          and case when coalesce(q.checkout_session_id, q.offer_id) is null
              then q.partner_id = s.partner_id
              else q.checkout_session_id = s.id end) as "heldUntil"
    from checkout_sessions s join partners p on p.id = s.partner_id
      left join listings l on l.id = s.listing_id
      left join brokerage_cases c on c.id = s.brokerage_case_id
      left join listings d on d.environment = c.environment and d.domain = c.domain
    where s.id = :id and (:anyone or (s.partner_id = :partnerId and s.environment = :environment))`,
});

/** Selects the partner that a session belongs to. */
export const selectPartnerOf = defineStatement({
  params: { id: text },
  row: { partnerId: text },
  text: 'select partner_id as "partnerId" from checkout_sessions where id = :id',
});

/** Locks a session until the transaction ends. */
export const selectForUpdate = defineStatement({
  params: { id: text },
  row: SESSION,
  text: `select ${SESSION_COLUMNS} from checkout_sessions s where s.id = :id for update`,
});

/** Selects the payment page of a deal that is open at `now`. */
export const selectOpenOfCase = defineStatement({
  params: { caseId: text, now: timestamptz },
  row: SESSION,
  text: `select ${SESSION_COLUMNS} from checkout_sessions s
    where s.brokerage_case_id = :caseId and s.status = 'open' and s.expires_at > :now
    order by s.id desc limit 1`,
});

/**
 * Locks the open payment page of a deal, unless it is in review. Does not wait for a page that is being paid: its
 * payment locks the page before the deal.
 */
export const selectOpenOfCaseForUpdate = defineStatement({
  params: { caseId: text },
  row: { id: text },
  text: `select id from checkout_sessions
    where brokerage_case_id = :caseId and status = 'open' and review_since is null
    order by id desc limit 1 for update skip locked`,
});

/** Selects whether the payment of a deal is in review at `now`, and whether staff declined it. */
export const selectDealReview = defineStatement({
  params: { caseId: text, now: timestamptz },
  row: { inReview: boolean, declined: boolean },
  text: `select
      coalesce(bool_or(status = 'open' and expires_at > :now and review_since is not null), false) as "inReview",
      coalesce(bool_or(last_decline = '${REVIEW_DECLINED}'), false) as declined
    from checkout_sessions where brokerage_case_id = :caseId`,
});

/** Moves a session from one of the `from` statuses to `to`, ending any review. Changes no row in another status. */
export const updateStatus = defineStatement({
  params: {
    id: text,
    from: arrayOf(textOf<SessionStatus>()),
    to: textOf<SessionStatus>(),
    orderId: nullable(text),
    now: timestamptz,
  },
  text: `update checkout_sessions set status = :to, updated_at = :now,
      review_since = null, review_reasons = '{}', order_id = coalesce(:orderId, order_id)
    where id = :id and status = any(:from)`,
});

/** Stores the buyer's details and consent when a payment begins. */
export const updateBuyer = defineStatement({
  params: {
    id: text,
    priceCents: bigint,
    currency: text,
    buyerEmail: text,
    buyerName: text,
    buyerCountry: text,
    referralCode: nullable(text),
    clearedReasons: arrayOf(text),
    now: timestamptz,
  },
  text: `update checkout_sessions set price_cents = :priceCents, currency = :currency,
      buyer_email = :buyerEmail, buyer_name = :buyerName, buyer_country = :buyerCountry,
      referral_code = :referralCode, cleared_reasons = :clearedReasons,
      last_decline = null, updated_at = :now
    where id = :id`,
});

/** Records why the last payment did not go through. */
export const updateDecline = defineStatement({
  params: { id: text, code: text, now: timestamptz },
  text: 'update checkout_sessions set last_decline = :code, updated_at = :now where id = :id',
});

/** Records the click that brought the buyer, while the session is open and has the click that was read. */
export const updateReferral = defineStatement({
  params: { id: text, known: nullable(text), code: nullable(text) },
  text: `update checkout_sessions set referral_code = :code
    where id = :id and status = 'open' and referral_code is not distinct from :known`,
});

/** Marks up to `limit` expired sessions. Skips sessions in review, whose buyers must be told. */
export const updateExpired = defineStatement({
  params: { to: textOf<SessionStatus>(), now: timestamptz, limit: bigint },
  text: `update checkout_sessions set status = :to, updated_at = :now where id in (
      select id from checkout_sessions where status = 'open' and review_since is null and expires_at <= :now
      order by expires_at limit :limit for update skip locked)`,
});

/** Like {@link updateExpired}, for a partner's sandbox in its own time. */
export const updateExpiredOfPartner = defineStatement({
  params: { partnerId: text, to: textOf<SessionStatus>(), now: timestamptz },
  text: `update checkout_sessions set status = :to, updated_at = :now
    where partner_id = :partnerId and environment = 'SANDBOX' and status = 'open' and review_since is null
      and expires_at <= :now`,
});

/**
 * Erases the buyers of up to `limit` ended sessions. A session with an order keeps its buyer, as the order does, and so
 * does one whose payment may still succeed or has to be refunded.
 */
export const updateBuyersErased = defineStatement({
  params: { before: timestamptz, limit: bigint },
  text: `update checkout_sessions set buyer_email = null, buyer_name = null, buyer_country = null
    where id in (
      select id from checkout_sessions s
      where order_id is null and status <> 'open' and updated_at < :before
        and coalesce(buyer_email, buyer_name, buyer_country) is not null
        and not exists (select from payments p where p.checkout_session_id = s.id
          and p.status in ('created', 'requires_confirmation', 'pending', 'succeeded', 'refund_pending'))
      order by updated_at limit :limit for update skip locked)`,
});

/** Inserts a new session. */
export async function writeSession(tx: Tx, { price, ...session }: CheckoutSession): Promise<void> {
  await insertSession.run(tx, {
    ...session,
    priceCents: price.amount,
    currency: price.currency,
  });
}

/** A session and the current state of its listing. */
export interface SessionWithListing {
  session: CheckoutSession;
  listing: {
    price: Money;
    status: ListingStatus;
    legalHold: boolean;
    domainUnicode: string;
    premium: PremiumTerms | null;
  };
  partnerName: string;
  partnerStatus: PartnerStatus;
  /** Whether somebody else's hold keeps the domain from this buyer. */
  heldByOther: boolean;
  /** When the hold for this session ends, made by a quote of the partner or by a payment; null without a hold. */
  heldUntil: Date | null;
}

/** Reads a session, of `owner` unless null. The payment page passes null, since the link's signature authorizes it. */
export async function readWithListing(
  sql: Sql,
  id: string,
  owner: SessionOwner | null,
  now: Date,
): Promise<SessionWithListing | undefined> {
  const row = await selectWithListing.first(sql, {
    id,
    now,
    anyone: owner === null,
    partnerId: owner?.partnerId ?? null,
    environment: owner?.environment ?? null,
  });
  if (!row) return undefined;
  const {
    listingStatus,
    legalHold,
    listingPrice,
    listingCurrency,
    domainUnicode,
    premium,
    ...rest
  } = row;
  const { partnerName, partnerStatus, heldByOther, heldUntil, ...session } = rest;
  return {
    session: toSession(session),
    listing: {
      status: listingStatus,
      legalHold,
      price: new Money(listingPrice, listingCurrency),
      domainUnicode: domainUnicode ?? unicodeOf(session.domain),
      premium: premiumTermsOf({ ...session, registration: { premium: premiumTermsIn(premium) } }),
    },
    partnerName,
    partnerStatus,
    heldByOther,
    heldUntil,
  };
}

/** Reads the payment page of a deal that is open at `now`. */
export async function readOpenOfCase(
  sql: Sql,
  caseId: string,
  now: Date,
): Promise<CheckoutSession | undefined> {
  const row = await selectOpenOfCase.first(sql, { caseId, now });
  return row && toSession(row);
}

/** Locks a session until the transaction ends, so that changes to one session happen one at a time. */
export async function lockSession(tx: Tx, id: string): Promise<CheckoutSession | undefined> {
  const row = await selectForUpdate.first(tx, { id });
  return row && toSession(row);
}

/** Moves a session to another status. Returns false if the move is not allowed from its status. */
export async function moveSession(
  tx: Tx,
  id: string,
  move: SessionMoveName,
  now: Date,
  orderId: string | null = null,
): Promise<boolean> {
  return (await updateStatus.run(tx, { ...SESSION_MOVES[move], id, now, orderId })) > 0;
}

function toSession({ priceCents, currency, ...rest }: RowOf<typeof SESSION>): CheckoutSession {
  return { ...rest, price: new Money(priceCents, currency) };
}

/** A filter for a partner's sessions; null matches all. */
export interface SessionFilter {
  status: SessionStatus | null;
  from: Date | null;
  to: Date | null;
  /** The last row of the previous page. */
  before: { createdAt: Date; id: string } | null;
  limit: number;
}

/** Reads a page of a partner's sessions, newest first. */
export async function readSessions(
  sql: Sql,
  { partnerId, environment }: SessionOwner,
  { status, limit, ...period }: SessionFilter,
  now: Date,
): Promise<CheckoutSession[]> {
  const wanted = { partnerId, environment, now, ...timePage(period, limit) };
  return (await selectSessions[status ?? 'all'].all(sql, wanted)).map(toSession);
}
