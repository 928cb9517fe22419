import type { Environment } from '../../platform/config/config.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
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
import { Money, moneyOrNull } from '../../platform/money.ts';
import {
  type Listing,
  type ListingDraft,
  type ListingRegistration,
  type ListingStatus,
  type ListingTerms,
  type ListingWithHold,
  type PremiumRow,
  premiumTermsIn,
} from './listing.ts';

const COLUMNS = `l.id, l.environment, l.domain, l.domain_unicode, l.sld, l.tld, l.status, l.legal_hold, l.price_cents,
  l.floor_price_cents, l.currency, l.offers_accepted, l.category, l.description, l.keywords, l.listed_at,
  l.updated_at, l.registrar, l.registry_statuses, l.transferable, l.locked_until,
  l.rules_change_at, l.then_locked_until, l.premium, l.sale_number, l.reopened_at`;
const LISTING = {
  id: bigint,
  environment: textOf<Environment>(),
  domain: text,
  domain_unicode: text,
  sld: text,
  tld: text,
  status: textOf<ListingStatus>(),
  legal_hold: boolean,
  price_cents: bigint,
  floor_price_cents: nullable(bigint),
  currency: text,
  offers_accepted: boolean,
  category: nullable(text),
  description: nullable(text),
  keywords: arrayOf(text),
  listed_at: timestamptz,
  updated_at: timestamptz,
  registrar: nullable(text),
  registry_statuses: nullable(arrayOf(text)),
  transferable: nullable(boolean),
  locked_until: nullable(timestamptz),
  rules_change_at: nullable(timestamptz),
  then_locked_until: nullable(timestamptz),
  premium: nullable(jsonb<PremiumRow>()),
  sale_number: integer,
  reopened_at: nullable(timestamptz),
};

/** The listings of `domains` and who holds each at `now`. Domains that were never listed are missing. */
export const selectWithHolds = defineStatement({
  params: { environment: textOf<Environment>(), domains: arrayOf(text), now: timestamptz },
  row: { ...LISTING, held_by: nullable(text), was_offered: boolean },
  text: `select ${COLUMNS}, coalesce(q.checkout_session_id, q.partner_id) as held_by,
      l.delisted_at is distinct from '-infinity' as was_offered
    from listings l
    left join quotes q on q.listing_id = l.id and q.state = 'open' and q.expires_at - q.ahead_ms * interval '1 millisecond' > :now
    where l.environment = :environment and l.domain = any(:domains)`,
  plan: 'once',
});

/** Like {@link selectWithHolds}, without the columns that are slow to read. */
export const selectTerms = defineStatement({
  params: { environment: textOf<Environment>(), domains: arrayOf(text), now: timestamptz },
  row: {
    domain: text,
    status: textOf<ListingStatus>(),
    priceCents: bigint,
    floorPriceCents: nullable(bigint),
    currency: text,
    heldBy: nullable(text),
    transferable: boolean,
    lockedUntil: nullable(timestamptz),
    rulesChangeAt: nullable(timestamptz),
    thenLockedUntil: nullable(timestamptz),
  },
  text: `select l.domain, l.status, l.price_cents as "priceCents",
      l.floor_price_cents as "floorPriceCents", l.currency,
      coalesce(q.checkout_session_id, q.partner_id) as "heldBy",
      coalesce(l.transferable, true) as transferable, l.locked_until as "lockedUntil",
      l.rules_change_at as "rulesChangeAt", l.then_locked_until as "thenLockedUntil"
    from listings l
    left join quotes q on q.listing_id = l.id and q.state = 'open' and q.expires_at - q.ahead_ms * interval '1 millisecond' > :now
    where l.environment = :environment and l.domain = any(:domains)`,
  plan: 'once',
});

/** The listing of `domain`, locked until the transaction ends. */
export const selectForUpdate = defineStatement({
  params: { environment: textOf<Environment>(), domain: text },
  row: LISTING,
  text: `select ${COLUMNS} from listings l
    where environment = :environment and domain = :domain for update`,
  plan: 'once',
});

/** The listings of `domains` in any status, locked until the transaction ends. */
export const selectAllForUpdate = defineStatement({
  params: { environment: textOf<Environment>(), domains: arrayOf(text) },
  row: LISTING,
  text: `select ${COLUMNS} from listings l
    where environment = :environment and domain = any(:domains) order by domain for update`,
});

/** Locks up to `limit` listings listed within a period, both ends included, until the transaction ends. */
export const selectListedWithin = defineStatement({
  params: { environment: textOf<Environment>(), from: timestamptz, to: timestamptz, limit: bigint },
  row: { id: bigint },
  text: `select id from listings
    where environment = :environment and listed_at between :from and :to and status = 'listed'
    order by listed_at, id limit :limit for update`,
});

/** Delists those of the given listings that are listed. */
export const updateDelisted = defineStatement({
  params: { ids: arrayOf(bigint), now: timestamptz },
  text: `update listings set status = 'delisted', delisted_at = :now, updated_at = :now
    where id = any(:ids) and status = 'listed'`,
});

/** Takes a domain off the market as sold, unless it is sold or on legal hold. */
export const updateSold = defineStatement({
  params: { id: bigint, now: timestamptz },
  text: `update listings set status = 'sold', updated_at = :now
    where id = :id and status <> 'sold' and not legal_hold`,
  plan: 'once',
});

/**
 * Inserts the sold listing of a domain that was never on the market, which `delisted_at = '-infinity'` records. Returns
 * no row if the domain already has a listing.
 */
export const insertSold = defineStatement({
  params: {
    environment: textOf<Environment>(),
    domain: text,
    unicode: text,
    sld: text,
    tld: text,
    priceCents: bigint,
    currency: text,
    now: timestamptz,
  },
  row: { id: bigint },
  text: `insert into listings (environment, domain, domain_unicode, sld, tld, status, price_cents, currency,
      listed_at, updated_at, delisted_at)
    values (:environment, :domain, :unicode, :sld, :tld, 'sold', :priceCents, :currency,
      :now, :now, '-infinity')
    on conflict (environment, domain) do nothing returning id`,
});

/**
 * Whether a sold listing `l` is that of a domain that its buyer resold with a brokerage deal, without putting it on
 * the market: {@link updateReopened} was the last to delist it.
 */
const IS_BROKERED_RESALE = '(l.sale_number > 1 and l.delisted_at <= l.reopened_at) is true';

/**
 * Undoes a sale: the listing is listed again, or delisted if it was delisted before or is on legal hold. A brokered
 * resale leaves it sold, to the buyer before. Returns no row for an earlier sale.
 */
export const updateUnsold = defineStatement({
  params: { id: bigint, saleNumber: integer, now: timestamptz },
  row: LISTING,
  text: `update listings l set updated_at = :now,
      status = case when ${IS_BROKERED_RESALE} then 'sold'
        when delisted_at is null and not legal_hold then 'listed' else 'delisted' end,
      sale_number = sale_number - (${IS_BROKERED_RESALE})::int,
      delisted_at = case when ${IS_BROKERED_RESALE} and delisted_at <> '-infinity' then :now
        else delisted_at end
    where id = :id and sale_number = :saleNumber and status = 'sold' returning ${COLUMNS}`,
  plan: 'once',
});

/**
 * Makes sold listings ready for their next sale: off the market, without the terms and the words of the owner who
 * sold them. The category and the keywords tell of the name, so they stay.
 */
export const updateReopened = defineStatement({
  params: { ids: arrayOf(bigint), now: timestamptz },
  row: LISTING,
  text: `update listings l set status = 'delisted', sale_number = sale_number + 1, reopened_at = :now,
      delisted_at = case when delisted_at = '-infinity' then delisted_at else :now end,
      floor_price_cents = null, offers_accepted = false, description = null, updated_at = :now
    where id = any(:ids) and status = 'sold' returning ${COLUMNS}`,
});

/**
 * Prepares the sold listings of domains that staff granted to a new owner: without the terms and the words of the owner
 * before, and off the market, unless the buyer still waits (`waiting`). If that sale, or the next, is undone, the domain
 * is the new owner's: it neither returns to the market nor counts as a brokered resale of the buyer before. So it is
 * reopened just before it is delisted; one that was never on the market has no earlier terms to end.
 */
export const updateGranted = defineStatement({
  params: { ids: arrayOf(bigint), waiting: arrayOf(bigint), now: timestamptz },
  text: `update listings l set
      status = case when id = any(:waiting) then status else 'delisted' end,
      sale_number = sale_number + (id <> all(:waiting))::int,
      reopened_at = case when delisted_at = '-infinity' then null
        else :now::timestamptz - interval '1 millisecond' end,
      delisted_at = case when delisted_at = '-infinity' then delisted_at else :now end,
      floor_price_cents = null, offers_accepted = false, description = null, updated_at = :now
    where id = any(:ids) and status = 'sold'`,
});

/** Delists a listing; if it is sold and the sale is undone, it does not return to the market. */
export const updateWithdrawn = defineStatement({
  params: { id: bigint, now: timestamptz },
  text: `update listings set delisted_at = coalesce(delisted_at, :now), updated_at = :now,
      status = case when status = 'listed' then 'delisted' else status end
    where id = :id`,
});

/** Sets one price for all of these listings and lowers floors above it to match. */
export const updatePrices = defineStatement({
  params: { ids: arrayOf(bigint), priceCents: bigint, now: timestamptz },
  row: LISTING,
  text: `update listings l
    set price_cents = new.price, updated_at = :now,
      floor_price_cents = case when floor_price_cents > new.price then new.price
                               else floor_price_cents end
    from (select :priceCents::bigint as price) new
    where id = any(:ids) returning ${COLUMNS}`,
});

/**
 * Lists each draft: inserts it, or overwrites the row of a listed or delisted domain. Domains that are sold or on legal
 * hold stay unchanged and are not returned. The drafts' domains must differ.
 */
export const upsertListings = defineStatement({
  params: {
    environment: textOf<Environment>(),
    drafts: jsonb<readonly DraftRow[]>(),
    now: timestamptz,
  },
  row: { ...LISTING, inserted: boolean },
  // Sorted, so that two imports of the same names lock them in the same order.
  text: `insert into listings as l (environment, domain, domain_unicode, sld, tld, price_cents,
      floor_price_cents, currency, offers_accepted, category, description, keywords, listed_at,
      updated_at)
    select :environment, r.*, :now::timestamptz, :now::timestamptz
    from jsonb_to_recordset(:drafts::jsonb) as r(domain text, domain_unicode text, sld text, tld text,
      price_cents bigint, floor_price_cents bigint, currency text, offers_accepted boolean,
      category text, description text, keywords text[])
    where :environment <> 'LIVE' or not exists (
      select from legal_holds h where h.domain = r.domain and h.lifted_at is null)
    order by r.domain collate "C"
    on conflict (environment, domain) do update set status = 'listed', delisted_at = null,
      price_cents = excluded.price_cents, floor_price_cents = excluded.floor_price_cents,
      currency = excluded.currency, offers_accepted = excluded.offers_accepted,
      category = excluded.category, description = excluded.description,
      keywords = excluded.keywords, updated_at = excluded.updated_at,
      listed_at = case when l.status = 'listed' then l.listed_at else excluded.listed_at end
    where l.status <> 'sold' and not l.legal_hold
    returning ${COLUMNS}, (xmax = 0) as inserted`,
});

/**
 * Puts a LIVE listing on legal hold and takes it off the market. `delisted_at` does not change: if null, the listing
 * returns to the market when the hold is lifted.
 */
export const updateOnLegalHold = defineStatement({
  params: { domain: text, now: timestamptz },
  row: { id: bigint },
  text: `update listings set legal_hold = true, updated_at = :now,
      status = case when status = 'listed' then 'delisted' else status end
    where environment = 'LIVE' and domain = :domain returning id`,
});

/** Lifts the legal hold; a listing that was on the market returns to it. */
export const updateLegalHoldLifted = defineStatement({
  params: { domain: text, now: timestamptz },
  row: LISTING,
  text: `update listings l set legal_hold = false, updated_at = :now,
      status = case when status = 'delisted' and delisted_at is null then 'listed' else status end
    where environment = 'LIVE' and domain = :domain and legal_hold returning ${COLUMNS}`,
});

/** LIVE domains on the market whose registration was last checked before an instant, or never. */
export const selectUncheckedRegistrations = defineStatement({
  params: { before: timestamptz, limit: bigint },
  row: { domain: text },
  text: `select domain from listings
    where environment = 'LIVE' and status = 'listed'
      and (registration_checked_at is null or registration_checked_at < :before)
    order by registration_checked_at nulls first, id limit :limit`,
});

/** Records what the registry says about LIVE listings. */
export const updateRegistrations = defineStatement({
  params: { registrations: jsonb<readonly RegistrationRow[]>(), now: timestamptz },
  // Sorted, so that two runs lock the same listings in the same order.
  text: `with told as (
      select l.id, r.* from jsonb_to_recordset(:registrations::jsonb) as r(domain text, registrar text,
        statuses jsonb, transferable boolean, locked_until timestamptz, rules_change_at timestamptz,
        then_locked_until timestamptz, fees_told boolean, premium jsonb)
      join listings l on l.domain = r.domain and l.environment = 'LIVE'
      order by l.domain for update of l
    )
    update listings l set registrar = t.registrar, transferable = t.transferable,
      locked_until = t.locked_until, rules_change_at = t.rules_change_at,
      then_locked_until = t.then_locked_until, registration_checked_at = :now,
      premium = case when t.fees_told then t.premium else l.premium end,
      registry_statuses = array(select jsonb_array_elements_text(t.statuses))
    from told t where l.id = t.id`,
});

/** Extends the transfer lock of a LIVE listing, never shortens it, and makes a registry check due. */
export const updateLockedUntil = defineStatement({
  params: { domain: text, until: timestamptz },
  text: `update listings set locked_until = greatest(locked_until, :until), rules_change_at = null,
      then_locked_until = null, registration_checked_at = null
    where environment = 'LIVE' and domain = :domain`,
});

/** Records only that the registry was asked about LIVE listings. */
export const touchRegistrations = defineStatement({
  params: { domains: arrayOf(text), now: timestamptz },
  // Sorted, as above.
  text: `with asked as (
      select id from listings where environment = 'LIVE' and domain = any(:domains)
      order by domain for update
    )
    update listings l set registration_checked_at = :now from asked a where l.id = a.id`,
});

interface RegistrationRow {
  domain: string;
  registrar: string | null;
  statuses: readonly string[];
  transferable: boolean;
  locked_until: Date | null;
  rules_change_at: Date | null;
  then_locked_until: Date | null;
  /** Whether `premium` is known. */
  fees_told: boolean;
  premium: PremiumRow | null;
}

type DraftRow = ReturnType<typeof rowOf>;

/** Identifies a sale of a listing. */
export type SaleKey = Pick<Listing, 'id' | 'saleNumber'>;

/** Returns the listings of `domains` and their holders at `now`, in one statement; without those never listed. */
export async function readWithHolds(
  sql: Sql,
  environment: Environment,
  domains: readonly string[],
  now: Date,
): Promise<ListingWithHold[]> {
  const rows = await selectWithHolds.all(sql, { environment, domains, now });
  return rows.map((row) => ({
    ...toListing(row),
    heldBy: row.held_by,
    wasOffered: row.was_offered,
  }));
}

/** Like {@link readWithHolds}, without the columns that are slow to read. */
export async function readTerms(
  sql: Sql,
  environment: Environment,
  domains: readonly string[],
  now: Date,
): Promise<ListingTerms[]> {
  const rows = await selectTerms.all(sql, { environment, domains, now });
  return rows.map(({ priceCents, floorPriceCents, currency, ...row }) => ({
    domain: row.domain,
    status: row.status,
    heldBy: row.heldBy,
    registration: {
      transferable: row.transferable,
      lockedUntil: row.lockedUntil,
      later: laterOf(row.rulesChangeAt, row.thenLockedUntil),
    },
    price: new Money(priceCents, currency),
    floorPrice: moneyOrNull(floorPriceCents, currency),
  }));
}

/** Locks the listing of `domain` until the transaction ends. */
export async function lockOne(
  tx: Tx,
  environment: Environment,
  domain: string,
): Promise<Listing | undefined> {
  return toListingOrNone(await selectForUpdate.first(tx, { environment, domain }));
}

/** Locks the listings of `domains`, in any status, until the transaction ends. */
export async function lockMany(
  tx: Tx,
  environment: Environment,
  domains: readonly string[],
): Promise<Listing[]> {
  return (await selectAllForUpdate.all(tx, { environment, domains })).map(toListing);
}

/** Undoes a sale and restores the previous status; undefined if it is not the listing's current sale. */
export async function undoSale(tx: Tx, sale: SaleKey, now: Date): Promise<Listing | undefined> {
  return toListingOrNone(await updateUnsold.first(tx, { ...sale, now }));
}

/** Makes sold listings ready for their next sale, see {@link updateReopened}. */
export async function reopen(tx: Tx, ids: readonly number[], now: Date): Promise<Listing[]> {
  return (await updateReopened.all(tx, { ids: [...ids], now })).map(toListing);
}

/** Lifts the legal hold of a LIVE listing; undefined if it has none. */
export async function endLegalHold(
  tx: Tx,
  domain: string,
  now: Date,
): Promise<Listing | undefined> {
  return toListingOrNone(await updateLegalHoldLifted.first(tx, { domain, now }));
}

/** Sets the price and lowers a floor above it to match. */
export async function changePrice(
  tx: Tx,
  id: number,
  priceCents: number,
  now: Date,
): Promise<Listing | undefined> {
  return toListingOrNone(await updatePrices.first(tx, { ids: [id], priceCents, now }));
}

/** Lists each draft, see {@link upsertListings}. */
export async function writeListings(
  tx: Tx,
  environment: Environment,
  drafts: readonly ListingDraft[],
  now: Date,
): Promise<(Listing & { inserted: boolean })[]> {
  const rows = await upsertListings.all(tx, { environment, drafts: drafts.map(rowOf), now });
  return rows.map((row) => ({ ...toListing(row), inserted: row.inserted }));
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

function laterOf(from: Date | null, lockedUntil: Date | null): ListingRegistration['later'] {
  return from && { from, lockedUntil };
}

function toListing(row: RowOf<typeof LISTING>): Listing {
  return {
    id: row.id,
    environment: row.environment,
    domain: row.domain,
    domainUnicode: row.domain_unicode,
    sld: row.sld,
    tld: row.tld,
    status: row.status,
    legalHold: row.legal_hold,
    price: new Money(row.price_cents, row.currency),
    floorPrice: moneyOrNull(row.floor_price_cents, row.currency),
    offersAccepted: row.offers_accepted,
    category: row.category,
    description: row.description,
    keywords: row.keywords,
    listedAt: row.listed_at,
    updatedAt: row.updated_at,
    saleNumber: row.sale_number,
    reopenedAt: row.reopened_at,
    registration: {
      registrar: row.registrar,
      statuses: row.registry_statuses ?? [],
      transferable: row.transferable ?? true,
      lockedUntil: row.locked_until,
      later: laterOf(row.rules_change_at, row.then_locked_until),
      premium: premiumTermsIn(row.premium),
    },
  };
}

function toListingOrNone(row: RowOf<typeof LISTING> | undefined): Listing | undefined {
  return row && toListing(row);
}
