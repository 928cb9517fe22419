import type { Environment } from '../../platform/config/config.ts';
import { ID_PAGE, idPage, idPageSql } from '../../platform/database/id-page.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  json,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { TIME_PAGE, timePage, timePageSql } from '../../platform/database/time-page.ts';
import { Money, moneyOrNull } from '../../platform/money.ts';
import { LIST_SORTS, type ListPage } from '../../platform/page.ts';
import type { OfferEventType } from './offer.events.ts';
import type { Offer, OfferActor, OfferMove, OfferOwner, OfferStatus, OfferStep } from './offer.ts';

const COLUMNS = `id, partner_id as "partnerId", environment, listing_id as "listingId", domain, status,
  amount_cents as "amountCents", counter_cents as "counterCents", price_cents as "priceCents", currency,
  buyer_email as "buyerEmail", buyer_name as "buyerName", buyer_country as "buyerCountry",
  quote_id as "quoteId", quote_expires_at as "quoteExpiresAt", created_at as "createdAt",
  updated_at as "updatedAt", expires_at as "expiresAt",
  (select max(q.released_at) from quotes q
    where q.listing_id = offers.listing_id and q.offer_id = offers.id and q.state = 'released') as "releasedAt"`;
const STORED = {
  id: text,
  partnerId: text,
  environment: textOf<Environment>(),
  listingId: bigint,
  domain: text,
  status: textOf<OfferStatus>(),
  amountCents: bigint,
  counterCents: nullable(bigint),
  priceCents: nullable(bigint),
  currency: text,
  buyerEmail: nullable(text),
  buyerName: nullable(text),
  buyerCountry: nullable(text),
  quoteId: nullable(text),
  quoteExpiresAt: nullable(timestamptz),
  createdAt: timestamptz,
  updatedAt: timestamptz,
  expiresAt: timestamptz,
};
const OFFER = { ...STORED, releasedAt: nullable(timestamptz) };

/** Inserts an offer. Inserts nothing if the buyer has an unanswered one on the domain. */
export const insertOffer = defineStatement({
  params: STORED,
  text: `insert into offers (id, partner_id, environment, listing_id, domain, status, amount_cents,
      counter_cents, price_cents, currency, buyer_email, buyer_name, buyer_country, quote_id,
      quote_expires_at, created_at, updated_at, expires_at)
    values (:id, :partnerId, :environment, :listingId, :domain, :status, :amountCents, :counterCents,
      :priceCents, :currency, :buyerEmail, :buyerName, :buyerCountry, :quoteId, :quoteExpiresAt,
      :createdAt, :updatedAt, :expiresAt)
    on conflict (partner_id, listing_id, buyer_email) where status in ('OPEN', 'COUNTERED') do nothing`,
});

const ONE = {
  id: text,
  anyone: boolean,
  partnerId: nullable(text),
  environment: nullable(textOf<Environment>()),
};
const OF_OWNER =
  'id = :id and (:anyone or (partner_id = :partnerId and environment = :environment))';

/** Selects an offer of this partner, or of any with `anyone`. */
export const selectOffer = defineStatement({
  params: ONE,
  row: OFFER,
  text: `select ${COLUMNS} from offers where ${OF_OWNER}`,
});

/** Like {@link selectOffer}, and locks the row until the transaction ends. */
export const selectForUpdate = defineStatement({
  params: ONE,
  row: OFFER,
  text: `select ${COLUMNS} from offers where ${OF_OWNER} for update`,
});

/** Moves an offer from a `from` status to `to`, and sets its prices. Returns no row if it has another status. */
export const updateStatus = defineStatement({
  params: {
    id: text,
    from: arrayOf(textOf<OfferStatus>()),
    to: textOf<OfferStatus>(),
    amountCents: nullable(bigint),
    counterCents: nullable(bigint),
    priceCents: nullable(bigint),
    quoteId: nullable(text),
    quoteExpiresAt: nullable(timestamptz),
    expiresAt: nullable(timestamptz),
    now: timestamptz,
  },
  row: OFFER,
  text: `update offers set status = :to, updated_at = :now,
      amount_cents = coalesce(:amountCents, amount_cents),
      counter_cents = coalesce(:counterCents, counter_cents), price_cents = :priceCents,
      quote_id = :quoteId, quote_expires_at = :quoteExpiresAt,
      expires_at = coalesce(:expiresAt, expires_at)
    where id = :id and status = any(:from) returning ${COLUMNS}`,
});

const OWNERS = {
  ofPartner: 'partner_id = :partnerId and environment = :environment',
  ofAnyone: 'true',
};

/** Selects a page of offers, newest first, of one partner or of all. */
export const selectOffers = variantsOf(['ofPartner', 'ofAnyone'], (whose) =>
  defineStatement({
    params: {
      partnerId: nullable(text),
      environment: nullable(textOf<Environment>()),
      status: nullable(textOf<OfferStatus>()),
      ...TIME_PAGE,
    },
    row: OFFER,
    text: `select ${COLUMNS} from offers
      where ${OWNERS[whose]} and (:status::text is null or status = :status) and ${timePageSql()}`,
    plan: 'once',
  }),
);

/** Selects a page of the offers of all partners: those that wait for an answer, or those with one status. */
export const selectOffersForOps = variantsOf(['waiting', 'inStatus'], (which) =>
  variantsOf(LIST_SORTS, (sort) =>
    defineStatement({
      params: {
        status: nullable(textOf<OfferStatus>()),
        environment: nullable(textOf<Environment>()),
        ...ID_PAGE,
      },
      row: OFFER,
      text: `select ${COLUMNS} from offers
        where ${which === 'waiting' ? "status in ('OPEN', 'COUNTERED')" : 'status = :status'}
          and (:environment::text is null or environment = :environment) and ${idPageSql('id', sort)}`,
    }),
  ),
);

/** Inserts a step of an offer. */
export const insertStep = defineStatement({
  params: {
    offerId: text,
    now: timestamptz,
    event: textOf<OfferEventType>(),
    by: textOf<OfferActor>(),
    amountCents: nullable(bigint),
  },
  text: `insert into offer_steps (offer_id, at, event, made_by, amount_cents)
    values (:offerId, :now, :event, :by, :amountCents)`,
});

/** Selects an offer of any partner with its steps, oldest first. */
export const selectOfferWithSteps = defineStatement({
  params: { id: text },
  row: {
    ...OFFER,
    steps:
      json<{ at: string; event: OfferEventType; by: OfferActor; amountCents: number | null }[]>(),
  },
  text: `select ${COLUMNS},
      (select coalesce(json_agg(json_build_object('at', s.at, 'event', s.event, 'by', s.made_by,
          'amountCents', s.amount_cents) order by s.id), '[]')
        from offer_steps s where s.offer_id = offers.id) as steps
    from offers where id = :id`,
});

/** Locks up to `limit` offers that nobody answered in time, until the transaction ends. */
export const selectOverdueForUpdate = defineStatement({
  params: { now: timestamptz, limit: bigint },
  row: { id: text },
  text: `select id from offers where status in ('OPEN', 'COUNTERED') and expires_at <= :now
    order by expires_at limit :limit for update skip locked`,
});

/**
 * Locks up to `limit` open offers, not overdue, on domains that are sold, withdrawn or take no more offers, or whose
 * owner has changed since, until the transaction ends.
 */
export const selectUnsellableForUpdate = defineStatement({
  params: { now: timestamptz, limit: bigint },
  row: { id: text },
  text: `select o.id from offers o join listings l on l.id = o.listing_id
    where o.status in ('OPEN', 'COUNTERED') and o.expires_at > :now
      and (l.status <> 'listed' or not l.offers_accepted or o.created_at < l.reopened_at)
    order by o.id limit :limit for update of o skip locked`,
});

/** Locks up to `limit` overdue offers of a partner's sandbox, longest overdue first, until the transaction ends. */
export const selectOverdueOfPartner = defineStatement({
  params: { partnerId: text, now: timestamptz, limit: bigint },
  row: { id: text },
  text: `select id from offers where partner_id = :partnerId and environment = 'SANDBOX'
      and status in ('OPEN', 'COUNTERED') and expires_at <= :now
    order by expires_at limit :limit for update skip locked`,
});

/** Selects when the next open offer of a partner's sandbox expires after an instant. */
export const selectNextExpiry = defineStatement({
  params: { partnerId: text, after: timestamptz },
  row: { at: nullable(timestamptz) },
  text: `select min(expires_at) as at from offers where partner_id = :partnerId
      and environment = 'SANDBOX' and status in ('OPEN', 'COUNTERED') and expires_at > :after`,
});

/** Erases the buyers of up to `limit` offers that were declined or expired before an instant. */
export const updateBuyersErased = defineStatement({
  params: { before: timestamptz, limit: bigint },
  text: `update offers set buyer_email = null, buyer_name = null, buyer_country = null where id in (
      select id from offers
      where buyer_email is not null and status in ('DECLINED', 'EXPIRED') and updated_at < :before
      order by updated_at limit :limit for update skip locked)`,
});

/** Like {@link updateBuyersErased}, for accepted offers whose quotes ended before an instant. */
export const updateAcceptedBuyersErased = defineStatement({
  params: { before: timestamptz, limit: bigint },
  text: `update offers set buyer_email = null, buyer_name = null, buyer_country = null where id in (
      select id from offers
      where buyer_email is not null and status = 'ACCEPTED' and quote_expires_at < :before
      order by quote_expires_at limit :limit for update skip locked)`,
});

const OF_LISTING = { partnerId: text, environment: textOf<Environment>(), listingId: bigint };

/** Selects the time of a partner's unaccepted offer on a listing that has `others` newer ones. */
export const selectUnaccepted = defineStatement({
  params: { ...OF_LISTING, others: bigint },
  row: { at: timestamptz },
  text: `select created_at as at from offers
    where partner_id = :partnerId and environment = :environment and listing_id = :listingId
      and status <> 'ACCEPTED'
    order by created_at desc offset :others limit 1`,
});

/** Selects whether the floor of a listing accepted an offer of this partner after an instant. */
export const selectAcceptedByFloor = defineStatement({
  params: { ...OF_LISTING, since: timestamptz },
  row: { found: boolean },
  text: `select exists (select from offers o join offer_steps s on s.offer_id = o.id
      where o.partner_id = :partnerId and o.environment = :environment
        and o.listing_id = :listingId and o.status = 'ACCEPTED'
        and s.made_by = 'floor' and s.at > :since) as found`,
});

/** Sets the floor from which offers on a listing are accepted at once. */
export const upsertFloor = defineStatement({
  params: { listingId: bigint, floorCents: bigint, currency: text, now: timestamptz },
  text: `insert into offer_floors (listing_id, floor_cents, currency, updated_at)
    values (:listingId, :floorCents, :currency, :now)
    on conflict (listing_id) do update set floor_cents = :floorCents, currency = :currency,
      updated_at = :now`,
});

/** Deletes the floor of a listing. */
export const deleteFloor = defineStatement({
  params: { listingId: bigint },
  text: 'delete from offer_floors where listing_id = :listingId',
});

/**
 * Selects whether an offer reaches the floor of its listing, set by the owner who sells it now. No row reveals the
 * floor itself.
 */
export const selectReachesFloor = defineStatement({
  params: { listingId: bigint, amountCents: bigint, currency: text },
  row: { reaches: boolean },
  text: `select exists (select from offer_floors f join listings l on l.id = f.listing_id
      where f.listing_id = :listingId and f.currency = :currency and f.floor_cents <= :amountCents
        and (l.reopened_at is null or f.updated_at >= l.reopened_at)) as reaches`,
});

/** Inserts an offer. Returns false if its buyer has an unanswered one on the domain. */
export async function writeOffer(
  tx: Tx,
  { amount, counter, price, releasedAt: _, ...offer }: Offer,
): Promise<boolean> {
  const inserted = await insertOffer.run(tx, {
    ...offer,
    amountCents: amount.amount,
    counterCents: counter?.amount ?? null,
    priceCents: price?.amount ?? null,
    currency: amount.currency,
  });
  return inserted === 1;
}

/** Reads an offer; `owner` is null for operators. `lock` locks it until the transaction ends. */
export async function readOffer(
  sql: Sql,
  owner: OfferOwner | null,
  id: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<Offer | undefined> {
  const statement = lock ? selectForUpdate : selectOffer;
  const row = await statement.first(sql, { id, ...scopeOf(owner) });
  return row && toOffer(row);
}

/** The fields that a move sets besides the status. */
export interface MoveFields {
  amount?: Money;
  counter?: Money;
  agreed?: { price: Money; quoteId: string; quoteExpiresAt: Date };
  expiresAt?: Date;
}

/** Makes a move. Returns undefined if the offer's status is not in `from`. */
export async function changeStatus(
  tx: Tx,
  id: string,
  { from, to }: OfferMove,
  { amount, counter, agreed, expiresAt }: MoveFields,
  now: Date,
): Promise<Offer | undefined> {
  const row = await updateStatus.first(tx, {
    id,
    from,
    to,
    now,
    amountCents: amount?.amount ?? null,
    counterCents: counter?.amount ?? null,
    priceCents: agreed?.price.amount ?? null,
    quoteId: agreed?.quoteId ?? null,
    quoteExpiresAt: agreed?.quoteExpiresAt ?? null,
    expiresAt: expiresAt ?? null,
  });
  return row && toOffer(row);
}

/** The filter of a list of offers. */
export interface OfferFilter {
  status: OfferStatus | null;
  before: { createdAt: Date; id: string } | null;
  limit: number;
}

/** Reads a page of offers, newest first; `owner` is null for operators. */
export async function readOffers(
  sql: Sql,
  owner: OfferOwner | null,
  { status, before, limit }: OfferFilter,
): Promise<Offer[]> {
  const { anyone, ...of } = scopeOf(owner);
  const statement = selectOffers[anyone ? 'ofAnyone' : 'ofPartner'];
  const rows = await statement.all(sql, { ...of, status, ...timePage({ before }, limit) });
  return rows.map(toOffer);
}

/** A filter for the offers of all partners: those with one status, or those that wait for an answer if it is null. */
export interface OpsOfferFilter {
  status: OfferStatus | null;
  environment: Environment | null;
}

/** Reads a page of the offers of all partners. */
export async function readOffersForOps(
  sql: Sql,
  filter: OpsOfferFilter,
  page: ListPage,
): Promise<Offer[]> {
  const statement = selectOffersForOps[filter.status === null ? 'waiting' : 'inStatus'][page.sort];
  const given = { ...filter, ...idPage('offer', page, page.limit) };
  return (await statement.all(sql, given)).map(toOffer);
}

/** Reads an offer of any partner with its steps, oldest first. */
export async function readOfferWithSteps(
  sql: Sql,
  id: string,
): Promise<{ offer: Offer; steps: OfferStep[] } | undefined> {
  const row = await selectOfferWithSteps.first(sql, { id });
  if (!row) return undefined;
  const { steps, ...offer } = row;
  return {
    offer: toOffer(offer),
    steps: steps.map(({ at, amountCents, ...step }) => ({
      ...step,
      at: new Date(at),
      amount: moneyOrNull(amountCents, row.currency),
    })),
  };
}

function scopeOf(owner: OfferOwner | null) {
  return {
    anyone: owner === null,
    partnerId: owner?.partnerId ?? null,
    environment: owner?.environment ?? null,
  };
}

function toOffer(row: RowOf<typeof OFFER>): Offer {
  const { amountCents, counterCents, priceCents, currency, ...rest } = row;
  return {
    ...rest,
    amount: new Money(amountCents, currency),
    counter: moneyOrNull(counterCents, currency),
    price: moneyOrNull(priceCents, currency),
  };
}
