import type { Environment } from '../platform/config.ts';
import type { Sql, Tx } from '../platform/db.ts';
import type { Cents } from '../platform/money.ts';
import type { Listing, ListingStatus, ListingWithHold } from './listing.ts';

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

function toListing(row: ListingRow): Listing {
  return {
    id: row.id,
    environment: row.environment,
    domain: row.domain,
    domainUnicode: row.domain_unicode,
    sld: row.sld,
    tld: row.tld,
    status: row.status,
    priceCents: row.price_cents,
    floorPriceCents: row.floor_price_cents,
    currency: row.currency,
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

/** The listing of `domain` and who holds it at `now`, in one statement. */
export async function selectWithHold(
  sql: Sql,
  environment: Environment,
  domain: string,
  now: Date,
): Promise<ListingWithHold | undefined> {
  const { rows } = await sql.raw<{ rows: (ListingRow & { held_by: string | null })[] }>(
    `select l.*, q.partner_id as held_by
     from listings l
     left join quotes q on q.listing_id = l.id and q.state = 'open' and q.expires_at > ?
     where l.environment = ? and l.domain = ?`,
    [now, environment, domain],
  );
  const row = rows[0];
  return row && { ...toListing(row), heldBy: row.held_by };
}

/** The listing of `domain`, locked until the transaction ends. */
export async function selectForUpdate(
  tx: Tx,
  environment: Environment,
  domain: string,
): Promise<Listing | undefined> {
  return first(
    await tx.raw(`select * from listings where environment = ? and domain = ? for update`, [
      environment,
      domain,
    ]),
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
    await tx.raw(
      `update listings set status = ?, updated_at = ? where id = ? and status = any(?) returning *`,
      [to, now, listingId, from],
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
  return first(
    await tx.raw(
      `update listings
       set price_cents = new.price, updated_at = ?,
         floor_price_cents = case when floor_price_cents > new.price then new.price
                                  else floor_price_cents end
       from (select ?::bigint as price) new
       where id = ? returning listings.*`,
      [now, priceCents, listingId],
    ),
  );
}
