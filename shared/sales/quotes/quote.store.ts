import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Tx } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import { bigint, nullable, text, textOf, timestamptz } from '../../platform/database/sql-types.ts';
import { Money } from '../../platform/money.ts';
import type { Quote, QuoteOwner } from './quote.ts';

const COLUMNS = `id, partner_id as "partnerId", environment, listing_id as "listingId",
  price_cents as "priceCents", currency, state, created_at as "createdAt", expires_at as "expiresAt",
  offer_id as "offerId"`;
const QUOTE = {
  id: text,
  partnerId: text,
  environment: textOf<Environment>(),
  listingId: bigint,
  priceCents: bigint,
  currency: text,
  state: textOf<Quote['state']>(),
  createdAt: timestamptz,
  expiresAt: timestamptz,
  offerId: nullable(text),
};

/** The SQL for when a hold ends in real time; `expires_at` is in its partner's time. */
const HOLDS_UNTIL = `expires_at - ahead_ms * interval '1 millisecond'`;

/** Locks a partner's holds, so that their number can be limited. */
export const selectPartnerForUpdate = defineStatement({
  params: { partnerId: text },
  row: { id: text },
  text: 'select id from partners where id = :partnerId for no key update',
});

/**
 * Ends the hold on a listing if it has expired or is this partner's own. A hold for a checkout session or an accepted
 * offer is never the partner's own.
 */
export const updateOwnOrExpiredHold = defineStatement({
  params: { partnerId: text, listingId: bigint, now: timestamptz },
  text: `update quotes set state = case when ${HOLDS_UNTIL} <= :now then 'expired' else 'superseded' end
    where listing_id = :listingId and state = 'open'
      and (${HOLDS_UNTIL} <= :now or (partner_id = :partnerId and checkout_session_id is null and offer_id is null))`,
  plan: 'once',
});

/** Ends the hold on a listing if it has expired. */
export const updateExpiredHold = defineStatement({
  params: { listingId: bigint, now: timestamptz },
  text: `update quotes set state = 'expired'
    where listing_id = :listingId and state = 'open' and ${HOLDS_UNTIL} <= :now`,
});

/**
 * Counts the listings that a partner holds, by quotes and for buyers on its checkout pages. Leaves out purchases that
 * staff are reviewing or have approved, because the partner cannot control how long those take.
 */
export const countHolds = defineStatement({
  params: { partnerId: text, environment: textOf<Environment>(), now: timestamptz },
  row: { holds: bigint },
  text: `select count(*) as holds from quotes q
    where partner_id = :partnerId and environment = :environment and state = 'open' and ${HOLDS_UNTIL} > :now
      and not exists (select from checkout_sessions s
        where s.id = q.checkout_session_id and s.status = 'open'
          and (s.review_since is not null or s.cleared_reasons <> '{}'))`,
  plan: 'once',
});

/** Holds a listing. Inserts nothing if it is already held. */
export const insertHold = defineStatement({
  params: {
    ...QUOTE,
    checkoutSessionId: nullable(text),
    aheadMs: bigint,
  },
  text: `insert into quotes (id, partner_id, environment, listing_id, price_cents, currency, state, created_at,
      expires_at, checkout_session_id, offer_id, ahead_ms)
    values (:id, :partnerId, :environment, :listingId, :priceCents, :currency, :state, :createdAt,
      :expiresAt, :checkoutSessionId, :offerId, :aheadMs)
    on conflict (listing_id) where state = 'open' do nothing`,
  plan: 'once',
});

/** Locks a partner's quote until the transaction ends. */
export const selectForUpdate = defineStatement({
  params: { id: text, partnerId: text, environment: textOf<Environment>() },
  row: QUOTE,
  text: `select ${COLUMNS} from quotes
    where id = :id and partner_id = :partnerId and environment = :environment for update`,
  plan: 'once',
});

/** Sets the state of a quote. */
export const updateState = defineStatement({
  params: { id: text, state: textOf<Quote['state']>() },
  text: 'update quotes set state = :state where id = :id',
});

/** Releases a quote at `now`. */
export const updateReleased = defineStatement({
  params: { id: text, now: timestamptz },
  text: `update quotes set state = 'released', released_at = :now where id = :id`,
});

/** Selects when a partner, or its buyer, last gave up an accepted offer on a listing. */
export const selectOfferReleased = defineStatement({
  params: { partnerId: text, environment: textOf<Environment>(), listingId: bigint },
  row: { at: nullable(timestamptz) },
  text: `select max(released_at) as at from quotes
    where listing_id = :listingId and partner_id = :partnerId and environment = :environment
      and offer_id is not null and state = 'released'`,
});

/** Records that a quote became an order. */
export const updateUsed = defineStatement({
  params: { id: text, orderId: text },
  text: `update quotes set state = 'used', order_id = :orderId where id = :id`,
  plan: 'once',
});

/** Ends the hold of a checkout session. `releasedAt` is set if its buyer gave it up. */
export const updateCheckoutHold = defineStatement({
  params: {
    checkoutSessionId: text,
    state: textOf<Exclude<Quote['state'], 'open'>>(),
    releasedAt: nullable(timestamptz),
  },
  text: `update quotes set state = :state, released_at = :releasedAt
    where checkout_session_id = :checkoutSessionId and state = 'open'`,
});

/** Changes when the hold of a checkout session ends. */
export const updateCheckoutHoldEnd = defineStatement({
  params: { checkoutSessionId: text, expiresAt: timestamptz },
  text: `update quotes set expires_at = :expiresAt
    where checkout_session_id = :checkoutSessionId and state = 'open'`,
});

/**
 * Selects who holds a listing at `now`: a checkout session, an offer or a partner. Returns no row if nobody does.
 * `offerId` is the accepted offer that the hold keeps, also for a checkout session.
 */
export const selectHolder = defineStatement({
  params: { listingId: bigint, now: timestamptz },
  row: { holder: text, offerId: nullable(text) },
  text: `select coalesce(checkout_session_id, offer_id, partner_id) as holder, offer_id as "offerId"
    from quotes
    where listing_id = :listingId and state = 'open' and ${HOLDS_UNTIL} > :now`,
  plan: 'once',
});

/** Marks up to `limit` expired holds. They stopped holding their listings when they expired. */
export const updateExpired = defineStatement({
  params: { now: timestamptz, limit: bigint },
  text: `update quotes set state = 'expired' where id in (
      select id from quotes where state = 'open' and expires_at <= :now
      order by expires_at limit :limit for update skip locked)`,
});

/** Like {@link updateExpired}, for a partner's sandbox in its own time. */
export const updateExpiredOfPartner = defineStatement({
  params: { partnerId: text, now: timestamptz },
  text: `update quotes set state = 'expired'
    where partner_id = :partnerId and environment = 'SANDBOX' and state = 'open' and expires_at <= :now`,
});

/** Makes the holds of a partner's sandbox end earlier, by how far its clock is ahead. */
export const updateAhead = defineStatement({
  params: { partnerId: text, aheadMs: bigint },
  text: `update quotes set ahead_ms = :aheadMs
    where partner_id = :partnerId and environment = 'SANDBOX' and state = 'open'`,
});

/** Holds a listing, for a checkout session if given. Returns false if it is already held. */
export async function writeHold(
  { sql, aheadMs }: Pick<UnitOfWork, 'sql' | 'aheadMs'>,
  { price, ...quote }: Quote,
  checkoutSessionId: string | null = null,
): Promise<boolean> {
  const inserted = await insertHold.run(sql, {
    ...quote,
    priceCents: price.amount,
    currency: price.currency,
    checkoutSessionId,
    aheadMs,
  });
  return inserted === 1;
}

/** Locks a partner's quote until the transaction ends. Returns undefined if the partner has none with this id. */
export async function lockQuote(
  tx: Tx,
  { partnerId, environment }: QuoteOwner,
  id: string,
): Promise<Quote | undefined> {
  const row = await selectForUpdate.first(tx, { id, partnerId, environment });
  if (!row) return undefined;
  const { priceCents, currency, ...rest } = row;
  return { ...rest, price: new Money(priceCents, currency) };
}
