import type { ListingStatus } from '../../market/inventory/listing.ts';
import type { PartnerStatus } from '../../people/partners/partner.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { Money } from '../../platform/money.ts';
import {
  type CheckoutSession,
  SESSION_MOVES,
  type SessionMoveName,
  type SessionOwner,
} from './checkout-session.ts';

type SessionRow = Omit<CheckoutSession, 'price'> & { priceCents: number; currency: string };

const FIELDS = {
  id: 'id',
  partnerId: 'partner_id',
  environment: 'environment',
  listingId: 'listing_id',
  domain: 'domain',
  priceCents: 'price_cents',
  currency: 'currency',
  commissionBps: 'commission_bps',
  status: 'status',
  returnUrl: 'return_url',
  cancelUrl: 'cancel_url',
  clientReference: 'client_reference',
  buyerEmail: 'buyer_email',
  buyerName: 'buyer_name',
  buyerCountry: 'buyer_country',
  referralCode: 'referral_code',
  lastDecline: 'last_decline',
  orderId: 'order_id',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  priceLockedUntil: 'price_locked_until',
  expiresAt: 'expires_at',
} as const satisfies Record<keyof SessionRow, string>;

const COLUMNS = Object.entries(FIELDS)
  .map(([field, column]) => `s.${column} as "${field}"`)
  .join(', ');

export async function insertSession(tx: Tx, session: CheckoutSession): Promise<void> {
  const { price, ...rest } = session;
  const row: SessionRow = { ...rest, priceCents: price.amount, currency: price.currency };
  const columns = Object.entries(FIELDS).map(([field, column]) => [
    column,
    row[field as keyof SessionRow],
  ]);
  await tx('checkout_sessions').insert(Object.fromEntries(columns));
}

function toSession({ priceCents, currency, ...rest }: SessionRow): CheckoutSession {
  return { ...rest, price: new Money(priceCents, currency) };
}

/** A session and its listing as they stand. */
export interface SessionWithListing {
  session: CheckoutSession;
  listing: { price: Money; status: ListingStatus; domainUnicode: string };
  partnerName: string;
  partnerStatus: PartnerStatus;
  /** Whether somebody else's hold keeps the domain from this buyer. */
  heldByOther: boolean;
  /** Until when the domain is held for this session, by a quote of the partner or by a payment; null without one. */
  heldUntil: Date | null;
}

/** `owner` binds the reading to a partner; the page reads by the link's signature instead. */
export async function selectSession(
  sql: Sql,
  id: string,
  owner: SessionOwner | null,
  now: Date,
): Promise<SessionWithListing | undefined> {
  const { rows } = await sql.raw(
    `select ${COLUMNS}, l.status as "listingStatus", l.price_cents as "listingPrice",
       l.currency as "listingCurrency", l.domain_unicode as "domainUnicode", p.name as "partnerName",
       p.status as "partnerStatus",
       exists (select from quotes q
         where q.listing_id = s.listing_id and q.state = 'open' and q.expires_at > :now
           and case when q.checkout_session_id is null then q.partner_id <> s.partner_id
               else q.checkout_session_id <> s.id end) as "heldByOther",
       (select max(q.expires_at) from quotes q
         where q.listing_id = s.listing_id and q.state = 'open' and q.expires_at > :now
           and case when q.checkout_session_id is null then q.partner_id = s.partner_id
               else q.checkout_session_id = s.id end) as "heldUntil"
     from checkout_sessions s join listings l on l.id = s.listing_id join partners p on p.id = s.partner_id
     where s.id = :id and (:anyone or (s.partner_id = :partnerId and s.environment = :environment))`,
    {
      id,
      now,
      anyone: owner === null,
      partnerId: owner?.partnerId ?? null,
      environment: owner?.environment ?? null,
    },
  );
  const row = rows[0];
  if (!row) return undefined;
  const { listingStatus, listingPrice, listingCurrency, domainUnicode, ...rest } = row;
  const { partnerName, partnerStatus, heldByOther, heldUntil, ...session } = rest;
  return {
    session: toSession(session),
    listing: {
      status: listingStatus,
      price: new Money(listingPrice, listingCurrency),
      domainUnicode,
    },
    partnerName,
    partnerStatus,
    heldByOther,
    heldUntil,
  };
}

/** The partner that a session belongs to. */
export async function findPartnerOf(sql: Sql, id: string): Promise<string | undefined> {
  const { rows } = await sql.raw(
    'select partner_id as "partnerId" from checkout_sessions where id = :id',
    { id },
  );
  return rows[0]?.partnerId;
}

/** The session, locked until the transaction ends: what happens to one session happens one after the other. */
export async function lockSession(tx: Tx, id: string): Promise<CheckoutSession | undefined> {
  const { rows } = await tx.raw(
    `select ${COLUMNS} from checkout_sessions s where s.id = :id for update`,
    { id },
  );
  return rows[0] && toSession(rows[0]);
}

/** Makes a move of the table; false when the session is in none of the statuses it starts from. */
export async function moveSession(
  tx: Tx,
  id: string,
  move: SessionMoveName,
  now: Date,
  orderId: string | null = null,
): Promise<boolean> {
  const { from, to } = SESSION_MOVES[move];
  const result = await tx.raw(
    `update checkout_sessions set status = :to, updated_at = :now,
       order_id = coalesce(:orderId, order_id)
     where id = :id and status = any(:from)`,
    { id, to, now, orderId, from: [...from] },
  );
  return (result.rowCount ?? 0) > 0;
}

/** What the buyer agreed to and filled in, when a payment begins. */
export interface BuyerDetails {
  price: Money;
  buyerEmail: string;
  buyerName: string;
  buyerCountry: string;
  referralCode: string | null;
}

export async function saveBuyerDetails(
  tx: Tx,
  id: string,
  agreed: BuyerDetails,
  now: Date,
): Promise<void> {
  await tx.raw(
    `update checkout_sessions set price_cents = :priceCents, currency = :currency,
       buyer_email = :buyerEmail, buyer_name = :buyerName, buyer_country = :buyerCountry,
       referral_code = coalesce(:referralCode, referral_code), last_decline = null, updated_at = :now
     where id = :id`,
    { ...agreed, priceCents: agreed.price.amount, currency: agreed.price.currency, id, now },
  );
}

export async function setDecline(tx: Tx, id: string, code: string, now: Date): Promise<void> {
  await tx.raw(
    'update checkout_sessions set last_decline = :code, updated_at = :now where id = :id',
    {
      id,
      code,
      now,
    },
  );
}

/** Remembers which referral link brought the buyer, while the session is open; the last one counts. */
export async function setReferral(sql: Sql, id: string, code: string): Promise<void> {
  await sql.raw(
    `update checkout_sessions set referral_code = :code
     where id = :id and status = 'open' and referral_code is distinct from :code`,
    { id, code },
  );
}

/** Tidies up to `limit` sessions whose time has run out; they were over when it did. */
export async function expireOpenSessions(sql: Sql, now: Date, limit: number): Promise<number> {
  const result = await sql.raw(
    `update checkout_sessions set status = :to, updated_at = :now where id in (
       select id from checkout_sessions where status = 'open' and expires_at <= :now
       order by expires_at limit :limit for update skip locked)`,
    { to: SESSION_MOVES.expire.to, now, limit },
  );
  return result.rowCount ?? 0;
}

/** An order has its own copy of its buyer; a session with one keeps what it has. */
export async function eraseAbandonedBuyers(sql: Sql, before: Date, limit: number): Promise<number> {
  const result = await sql.raw(
    `update checkout_sessions set buyer_email = null, buyer_name = null, buyer_country = null
     where id in (
       select id from checkout_sessions s
       where order_id is null and status <> 'open' and updated_at < :before
         and coalesce(buyer_email, buyer_name, buyer_country) is not null
         and not exists (select from payments p where p.checkout_session_id = s.id
           and p.status in ('created', 'requires_confirmation', 'pending', 'succeeded'))
       order by updated_at limit :limit for update skip locked)`,
    { before, limit },
  );
  return result.rowCount ?? 0;
}

export async function deleteAbandonedSessions(
  sql: Sql,
  before: Date,
  limit: number,
): Promise<number> {
  const result = await sql.raw(
    `delete from checkout_sessions where id in (
       select id from checkout_sessions s
       where order_id is null and status <> 'open' and updated_at < :before
         and not exists (select from payments p where p.checkout_session_id = s.id)
       order by updated_at limit :limit for update skip locked)`,
    { before, limit },
  );
  return result.rowCount ?? 0;
}
