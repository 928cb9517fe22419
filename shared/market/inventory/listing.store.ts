import type { Environment } from '../../platform/config/config.ts';
import { prepared, type Sql, type Tx } from '../../platform/database/postgres.ts';
import { type Cents, Money, moneyOrNull } from '../../platform/money.ts';
import type {
  Listing,
  ListingDraft,
  ListingStatus,
  ListingTerms,
  ListingWithHold,
} from './listing.ts';

interface ListingRow {
  id: number;
  environment: Environment;
  domain: string;
  domain_unicode: string;
  sld: string;
  tld: string;
  status: ListingStatus;
  price_cents: number;
  floor_price_cents: number | null;
  currency: string;
  offers_accepted: boolean;
  category: string | null;
  description: string | null;
  keywords: string[];
  listed_at: Date;
  updated_at: Date;
}

const COLUMNS = `l.id, l.environment, l.domain, l.domain_unicode, l.sld, l.tld, l.status, l.price_cents,
  l.floor_price_cents, l.currency, l.offers_accepted, l.category, l.description, l.keywords, l.listed_at,
  l.updated_at`;

function toListing(row: ListingRow): Listing {
  return {
    id: row.id,
    environment: row.environment,
    domain: row.domain,
    domainUnicode: row.domain_unicode,
    sld: row.sld,
    tld: row.tld,
    status: row.status,
    price: new Money(row.price_cents, row.currency),
    floorPrice: moneyOrNull(row.floor_price_cents, row.currency),
    offersAccepted: row.offers_accepted,
    category: row.category,
    description: row.description,
    keywords: row.keywords,
    listedAt: row.listed_at,
    updatedAt: row.updated_at,
  };
}

function first(result: { rows: ListingRow[] }): Listing | undefined {
  const row = result.rows[0];
  return row && toListing(row);
}

/** The listings of `domains` and who holds each at `now`, in one statement; those never listed are missing. */
export async function selectWithHolds(
  sql: Sql,
  environment: Environment,
  domains: readonly string[],
  now: Date,
): Promise<ListingWithHold[]> {
  const { rows }: { rows: (ListingRow & { held_by: string | null })[] } = await prepared(
    sql,
    `select ${COLUMNS}, coalesce(q.checkout_session_id, q.partner_id) as held_by
     from listings l
     left join quotes q on q.listing_id = l.id and q.state = 'open' and q.expires_at > ?
     where l.environment = ? and l.domain = any(?)`,
    [now, environment, domains],
  );
  return rows.map((row) => ({ ...toListing(row), heldBy: row.held_by }));
}

type TermsRow = Omit<ListingTerms, 'price' | 'floorPrice'> & {
  priceCents: number;
  floorPriceCents: number | null;
  currency: string;
};

/** The same, less what takes time to read out of a row. */
export async function selectTerms(
  sql: Sql,
  environment: Environment,
  domains: readonly string[],
  now: Date,
): Promise<ListingTerms[]> {
  const { rows } = await prepared(
    sql,
    `select l.domain, l.status, l.price_cents as "priceCents", l.floor_price_cents as "floorPriceCents",
       l.currency, coalesce(q.checkout_session_id, q.partner_id) as "heldBy"
     from listings l
     left join quotes q on q.listing_id = l.id and q.state = 'open' and q.expires_at > ?
     where l.environment = ? and l.domain = any(?)`,
    [now, environment, domains],
  );
  return rows.map(({ priceCents, floorPriceCents, currency, ...rest }: TermsRow) => ({
    ...rest,
    price: new Money(priceCents, currency),
    floorPrice: moneyOrNull(floorPriceCents, currency),
  }));
}

/** The listing of `domain`, locked until the transaction ends. */
export async function selectForUpdate(
  tx: Tx,
  environment: Environment,
  domain: string,
): Promise<Listing | undefined> {
  return first(
    await prepared(
      tx,
      `select ${COLUMNS} from listings l where environment = ? and domain = ? for update`,
      [environment, domain],
    ),
  );
}

/** The listings of `domains` in any status, locked until the transaction ends. */
export async function selectAllForUpdate(
  tx: Tx,
  environment: Environment,
  domains: readonly string[],
): Promise<Listing[]> {
  const { rows }: { rows: ListingRow[] } = await tx.raw(
    `select ${COLUMNS} from listings l where environment = ? and domain = any(?)
     order by domain for update`,
    [environment, [...domains]],
  );
  return rows.map(toListing);
}

/** Takes the listed ones of these off the market. */
export async function delistAll(tx: Tx, ids: readonly number[], now: Date): Promise<void> {
  await tx.raw(
    `update listings set status = 'delisted', delisted_at = ?, updated_at = ?
     where id = any(?) and status = 'listed'`,
    [now, now, [...ids]],
  );
}

/** Moves a listing from one of `from` to `to`; undefined when it is in none of them. */
export async function updateStatus(
  tx: Tx,
  listingId: number,
  from: ListingStatus[],
  to: ListingStatus,
  now: Date,
): Promise<Listing | undefined> {
  return first(
    await prepared(
      tx,
      `update listings l set status = ?, updated_at = ? where id = ? and status = any(?)
       returning ${COLUMNS}`,
      [to, now, listingId, from],
    ),
  );
}

/** Takes a listing back from `sold` to what it was before: delisted when it was sold as that. */
export async function undoSale(tx: Tx, listingId: number, now: Date): Promise<Listing | undefined> {
  return first(
    await prepared(
      tx,
      `update listings l set updated_at = ?,
         status = case when delisted_at is null then 'listed' else 'delisted' end
       where id = ? and status = 'sold' returning ${COLUMNS}`,
      [now, listingId],
    ),
  );
}

/** Sets the price; the floor follows when it would stand above it. */
export async function updatePrice(
  tx: Tx,
  listingId: number,
  priceCents: Cents,
  now: Date,
): Promise<Listing | undefined> {
  return first(await updatePrices(tx, [listingId], priceCents, now));
}

/** The same for several listings, all to one price. */
export async function updatePrices(
  tx: Tx,
  listingIds: readonly number[],
  priceCents: Cents,
  now: Date,
): Promise<{ rows: ListingRow[] }> {
  return tx.raw(
    `update listings
     set price_cents = new.price, updated_at = ?,
       floor_price_cents = case when floor_price_cents > new.price then new.price
                                else floor_price_cents end
     from (select ?::bigint as price) new
     where id = any(?) returning listings.*`,
    [now, priceCents, [...listingIds]],
  );
}

/** The domains that are listed with just these terms, held until the transaction ends. */
export async function selectUnchanged(
  tx: Tx,
  environment: Environment,
  drafts: readonly ListingDraft[],
): Promise<string[]> {
  const { rows } = await tx.raw<{ rows: { domain: string }[] }>(
    `select l.domain
     from listings l join jsonb_to_recordset(?::jsonb) as r(domain text, price_cents bigint,
       floor_price_cents bigint, currency text, offers_accepted boolean, category text,
       description text, keywords text[]) on r.domain = l.domain
     where l.environment = ? and l.status = 'listed'
       and (l.price_cents, l.floor_price_cents, l.currency, l.offers_accepted, l.category,
            l.description, l.keywords)
         is not distinct from (r.price_cents, r.floor_price_cents, r.currency, r.offers_accepted,
            r.category, r.description, r.keywords)
     order by l.domain for update of l`,
    [JSON.stringify(drafts.map(rowOf)), environment],
  );
  return rows.map(({ domain }) => domain);
}

function rowOf({ name, ...draft }: ListingDraft) {
  return {
    domain: name.ascii,
    domain_unicode: name.unicode,
    sld: name.sld,
    tld: name.tld,
    price_cents: draft.price.amount,
    floor_price_cents: draft.floorPrice?.amount ?? null,
    currency: draft.price.currency,
    offers_accepted: draft.offersAccepted,
    category: draft.category,
    description: draft.description,
    keywords: draft.keywords,
  };
}

/**
 * Lists each draft: inserts it, or overwrites the row of a domain that is listed or delisted. Sold domains
 * are left alone and missing from the answer. The drafts' domains must differ.
 */
export async function upsertListings(
  tx: Tx,
  environment: Environment,
  drafts: readonly ListingDraft[],
  now: Date,
): Promise<(Listing & { inserted: boolean })[]> {
  const rows = drafts.map(rowOf);
  // Sorted, so that two imports of the same names lock them in the same order.
  const result = await tx.raw<{ rows: (ListingRow & { inserted: boolean })[] }>(
    `insert into listings as l (environment, domain, domain_unicode, sld, tld, price_cents,
       floor_price_cents, currency, offers_accepted, category, description, keywords, listed_at,
       updated_at)
     select ?, r.*, ?::timestamptz, ?::timestamptz
     from jsonb_to_recordset(?::jsonb) as r(domain text, domain_unicode text, sld text, tld text,
       price_cents bigint, floor_price_cents bigint, currency text, offers_accepted boolean,
       category text, description text, keywords text[])
     order by r.domain collate "C"
     on conflict (environment, domain) do update set status = 'listed', delisted_at = null,
       price_cents = excluded.price_cents, floor_price_cents = excluded.floor_price_cents,
       currency = excluded.currency, offers_accepted = excluded.offers_accepted,
       category = excluded.category, description = excluded.description,
       keywords = excluded.keywords, updated_at = excluded.updated_at,
       listed_at = case when l.status = 'listed' then l.listed_at else excluded.listed_at end
     where l.status <> 'sold'
     returning l.*, (xmax = 0) as inserted`,
    [environment, now, now, JSON.stringify(rows)],
  );
  return result.rows.map((row) => ({ ...toListing(row), inserted: row.inserted }));
}
