import { prepared, type Sql, type Tx } from '../../platform/database/postgres.ts';
import { Money } from '../../platform/money.ts';
import type { Quote, QuoteOwner } from './quote.ts';

const COLUMNS = `id, partner_id as "partnerId", environment, listing_id as "listingId",
  price_cents as "priceCents", currency, state, created_at as "createdAt", expires_at as "expiresAt"`;

/** Makes the quoting of one partner sequential, so that the number of its holds can be bounded. */
export async function lockPartner(tx: Tx, partnerId: string): Promise<void> {
  await tx.raw('select 1 from partners where id = :partnerId for no key update', { partnerId });
}

/**
 * Ends the hold on a listing where it is this partner's own or has run out. A buyer who is paying on the
 * checkout page is nobody's own.
 */
export async function endOwnOrExpiredHold(
  tx: Tx,
  owner: QuoteOwner,
  listingId: number,
  now: Date,
): Promise<void> {
  await prepared(
    tx,
    `update quotes set state = case when expires_at <= :now then 'expired' else 'superseded' end
     where listing_id = :listingId and state = 'open'
       and (expires_at <= :now or (partner_id = :partnerId and checkout_session_id is null))`,
    { partnerId: owner.partnerId, listingId, now },
  );
}

/** How many listings a partner holds, by quotes and for buyers on its checkout pages. */
export async function countHolds(tx: Tx, owner: QuoteOwner, now: Date): Promise<number> {
  const { rows } = await prepared(
    tx,
    `select count(*) as holds from quotes
     where partner_id = :partnerId and environment = :environment and state = 'open' and expires_at > :now`,
    { partnerId: owner.partnerId, environment: owner.environment, now },
  );
  return rows[0].holds;
}

/** False when somebody else holds the listing. */
export async function insertHold(
  tx: Tx,
  quote: Quote,
  checkoutSessionId: string | null = null,
): Promise<boolean> {
  const { rows } = await prepared(
    tx,
    `insert into quotes (id, partner_id, environment, listing_id, price_cents, currency, state, created_at,
       expires_at, checkout_session_id)
     values (:id, :partnerId, :environment, :listingId, :priceCents, :currency, :state, :createdAt,
       :expiresAt, :checkoutSessionId)
     on conflict (listing_id) where state = 'open' do nothing
     returning 1`,
    {
      ...quote,
      priceCents: quote.price.amount,
      currency: quote.price.currency,
      checkoutSessionId,
    },
  );
  return rows.length > 0;
}

export async function lockQuote(tx: Tx, owner: QuoteOwner, id: string): Promise<Quote | undefined> {
  const { rows } = await prepared(
    tx,
    `select ${COLUMNS} from quotes
     where id = :id and partner_id = :partnerId and environment = :environment for update`,
    { ...owner, id },
  );
  if (!rows[0]) return undefined;
  const { priceCents, currency, ...rest } = rows[0];
  return { ...rest, price: new Money(priceCents, currency) };
}

export async function setState(tx: Tx, id: string, state: Quote['state']): Promise<void> {
  await tx.raw('update quotes set state = :state where id = :id', { id, state });
}

/** Notes that a quote has become an order. */
export async function setUsed(tx: Tx, id: string, orderId: string): Promise<void> {
  await prepared(tx, `update quotes set state = 'used', order_id = :orderId where id = :id`, {
    id,
    orderId,
  });
}

/** Ends what a checkout session holds. */
export async function endCheckoutHold(
  tx: Tx,
  checkoutSessionId: string,
  state: Exclude<Quote['state'], 'open'>,
): Promise<void> {
  await tx.raw(
    `update quotes set state = :state where checkout_session_id = :checkoutSessionId and state = 'open'`,
    { checkoutSessionId, state },
  );
}

/** Who holds a listing now, if anybody does: a partner, or a checkout session. */
export async function findHolder(
  tx: Tx,
  listingId: number,
  now: Date,
): Promise<string | undefined> {
  const { rows } = await prepared(
    tx,
    `select coalesce(checkout_session_id, partner_id) as holder from quotes
     where listing_id = :listingId and state = 'open' and expires_at > :now`,
    { listingId, now },
  );
  return rows[0]?.holder;
}

/** Tidies up to `limit` holds that have run out; they stopped holding when they did. */
export async function expireOpenQuotes(sql: Sql, now: Date, limit: number): Promise<number> {
  const result = await sql.raw(
    `update quotes set state = 'expired' where id in (
       select id from quotes where state = 'open' and expires_at <= :now
       order by expires_at limit :limit for update skip locked)`,
    { now, limit },
  );
  return result.rowCount ?? 0;
}

export async function deleteEndedQuotes(sql: Sql, before: Date, limit: number): Promise<number> {
  const result = await sql.raw(
    `delete from quotes where id in (
       select id from quotes where state <> 'open' and expires_at < :before
       order by expires_at limit :limit for update skip locked)`,
    { before, limit },
  );
  return result.rowCount ?? 0;
}
