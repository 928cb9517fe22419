import type { ListingStatus } from '../../market/inventory/listing.ts';
import type { DomainName } from '../../market/names/domain-name.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  integer,
  json,
  jsonb,
  nullable,
  present,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { Money, moneyOrNull } from '../../platform/money.ts';
import type { DsData } from '../epp/epp-objects.ts';
import type { DomainFacts } from '../registrar/registrar.ts';
import {
  OWNED_DOMAIN_SORTS,
  type OwnedDomain,
  type OwnedDomainFilter,
  type OwnedDomainPosition,
  type OwnedDomainSort,
  type PURCHASE_FAULTS,
} from './owned-domain.ts';

/** Whether the purchase `b` of a domain was taken back, so that its buyer no longer owns it. */
const IS_RETURNED = `(b.status in ('REFUNDED', 'CANCELLED')) is true`;
/** Whether the sold listing `l` is that of the sale to this owner, who bought the domain with `b`, not by them. */
const IS_OWN_PURCHASE = `(l.status = 'sold' and b.sale_number >= l.sale_number)`;
/** The purchase of a domain `o`, and its owner's listing, both null if there is none. */
const PURCHASE_AND_LISTING = `left join orders b on b.id = o.bought_with
  left join listings l on l.environment = 'LIVE' and l.domain = o.domain
    and ${IS_OWN_PURCHASE} is not true and not ${IS_RETURNED}`;
/** Whether the owner has sold the domain, or their purchase was taken back. */
const IS_GONE = `(coalesce(l.status = 'sold', false) or ${IS_RETURNED})`;
/** Whether a dispute of the purchase of a domain `o` is open. */
const IS_DISPUTED = `exists (select from payment_disputes d where d.order_id = o.bought_with and d.closed_at is null)`;

/** Whether the authorization code of a domain `o` is out. */
const IS_LEAVING = `exists (select from transfers_out t where t.domain = o.domain and t.ended_at is null)`;

const SELECT = `select o.domain, o.domain_unicode as unicode, o.tld, o.nameservers, o.locked,
    o.auto_renew as "autoRenew", o.privacy, o.held, o.signers, o.registered_at as "registeredAt",
    o.transferred_at as "transferredAt", o.expires_at as "expiresAt", o.tags,
    exists (select from legal_holds h where h.domain = o.domain and h.lifted_at is null) as "legalHold",
    ${IS_LEAVING} as "leaving",
    o.taken_at as "takenAt",
    o.bought_with is not null as "isBought",
    case when ${IS_RETURNED} then 'refunded' when ${IS_DISPUTED} then 'disputed' end as "purchaseFault",
    (select q.expires_at from quotes q join listings h on h.id = q.listing_id
      where h.environment = 'LIVE' and h.domain = o.domain and q.state = 'open') as "buyerHoldUntil",
    case when l.id is null then null else json_build_object('status', l.status,
      'priceCents', l.price_cents, 'floorPriceCents', l.floor_price_cents, 'currency', l.currency,
      'offersAccepted', l.offers_accepted) end as listing
  from owned_domains o
  ${PURCHASE_AND_LISTING}`;
const OWNED_DOMAIN = {
  domain: text,
  unicode: text,
  tld: text,
  nameservers: arrayOf(text),
  locked: boolean,
  autoRenew: boolean,
  privacy: boolean,
  held: boolean,
  signers: jsonb<readonly DsData[]>(),
  registeredAt: nullable(timestamptz),
  transferredAt: nullable(timestamptz),
  expiresAt: timestamptz,
  tags: arrayOf(text),
  legalHold: boolean,
  isBought: boolean,
  purchaseFault: nullable(textOf<keyof typeof PURCHASE_FAULTS>()),
  buyerHoldUntil: nullable(timestamptz),
  leaving: boolean,
  takenAt: nullable(timestamptz),
  listing: nullable(
    json<{
      status: ListingStatus;
      priceCents: number;
      floorPriceCents: number | null;
      currency: string;
      offersAccepted: boolean;
    }>(),
  ),
};

/** What the registrar reported about a domain, by column name. */
interface FactsRow {
  domain: string;
  nameservers: string[];
  locked: boolean;
  auto_renew: boolean;
  privacy: boolean;
  held: boolean;
  signers: readonly DsData[];
  registered_at: Date | null;
  transferred_at: Date | null;
  expires_at: Date;
  version: number;
}
type NewDomainRow = FactsRow & { domain_unicode: string; tld: string };

/** A {@link FactsRow} as the columns of a record `r`. */
const FACTS_RECORD = `domain text, nameservers text[], locked boolean, auto_renew boolean,
      privacy boolean, held boolean, signers jsonb, registered_at timestamptz,
      transferred_at timestamptz, expires_at timestamptz, version bigint`;
/** The columns of the table without the name, and their values from `r`. */
const FACTS_COLUMNS = `nameservers, locked, auto_renew, privacy, held, signers, registered_at,
      transferred_at, expires_at, registrar_version`;
const FACTS_VALUES = `r.nameservers, r.locked, r.auto_renew, r.privacy, r.held, r.signers,
      r.registered_at, r.transferred_at, r.expires_at, r.version`;

/** Whether a domain has no automatic renewal, or its renewal failed. */
const NOT_BY_ITSELF = '(not o.auto_renew or o.renewal_fault is not null)';

/**
 * Deletes those of `domains` that are no longer their owner's, although nobody else has claimed them: their purchase was
 * taken back, or a sale made since they got them has been delivered. A buyer to whom staff granted the domain before
 * the delivery was confirmed got it after that sale was made, and keeps it.
 */
export const deleteGone = defineStatement({
  params: { domains: arrayOf(text) },
  row: { domain: text, userId: text },
  text: `delete from owned_domains o where o.domain = any(:domains) and (
      exists (select from orders b where b.id = o.bought_with and ${IS_RETURNED})
      or exists (select from orders s where s.environment = 'LIVE' and s.domain = o.domain
        and s.status in ('TRANSFER_COMPLETED', 'SETTLED') and s.created_at > o.granted_at))
    returning o.domain, o.user_id as "userId"`,
  plan: 'once',
});

/** Selects those of `domains` that are sold and on their way to the buyer. */
export const selectOnTheirWay = defineStatement({
  params: { domains: arrayOf(text) },
  row: { domain: text },
  text: `select domain from orders where environment = 'LIVE' and domain = any(:domains)
    and status not in ('TRANSFER_COMPLETED', 'SETTLED', 'REFUNDED', 'CANCELLED')`,
  plan: 'once',
});

/** Grants domains to a user and returns those the user owns now; domains of other owners stay unchanged. */
export const upsertDomains = defineStatement({
  params: { userId: text, now: timestamptz, rows: jsonb<readonly NewDomainRow[]>() },
  row: { domain: text, isNew: boolean },
  // Updates even unchanged rows, so that domains the user already owned are returned too.
  text: `insert into owned_domains as o (domain, domain_unicode, tld, user_id, granted_at, updated_at,
      ${FACTS_COLUMNS})
    select r.domain, r.domain_unicode, r.tld, :userId, :now, :now, ${FACTS_VALUES}
    from jsonb_to_recordset(:rows::jsonb) as r(domain_unicode text, tld text, ${FACTS_RECORD})
    order by r.domain collate "C"
    on conflict (domain) do update set user_id = o.user_id where o.user_id = excluded.user_id
    returning o.domain, (xmax = 0) as "isNew"`,
});

/** Transfers a sold domain to its buyer, whoever owned it; drops the tags of the previous owner. */
export const upsertBought = defineStatement({
  params: { userId: text, orderId: text, row: jsonb<NewDomainRow>(), now: timestamptz },
  text: `insert into owned_domains as o (domain, domain_unicode, tld, user_id, granted_at, updated_at,
      bought_with, ${FACTS_COLUMNS})
    select r.domain, r.domain_unicode, r.tld, :userId, :now, :now, :orderId, ${FACTS_VALUES}
    from jsonb_to_record(:row::jsonb) as r(domain_unicode text, tld text, ${FACTS_RECORD})
    on conflict (domain) do update set tags = '{}', renewal_fault = null,
      taken_at = null, (user_id, granted_at, updated_at, bought_with,
      ${FACTS_COLUMNS}) = row (excluded.user_id, excluded.granted_at, excluded.updated_at,
        excluded.bought_with, excluded.nameservers, excluded.locked, excluded.auto_renew,
        excluded.privacy, excluded.held, excluded.signers, excluded.registered_at,
        excluded.transferred_at, excluded.expires_at, excluded.registrar_version)`,
});

const ORDERS: Readonly<Record<OwnedDomainSort, { after: string; order: string }>> = {
  a_to_z: { after: 'o.domain > :after', order: 'o.domain' },
  soonest: {
    after: '(o.expires_at, o.domain) > (:afterExpiresAt::timestamptz, :after)',
    order: 'o.expires_at, o.domain',
  },
};

/** Selects a page of a user's domains in each order, after a position. */
export const selectPage = variantsOf(OWNED_DOMAIN_SORTS, (sort) =>
  defineStatement({
    params: {
      userId: text,
      text: nullable(text),
      tld: nullable(text),
      tag: nullable(text),
      listed: nullable(boolean),
      gone: nullable(boolean),
      locked: nullable(boolean),
      autoRenew: nullable(boolean),
      privacy: nullable(boolean),
      renewsItself: nullable(boolean),
      expiresFrom: nullable(timestamptz),
      expiresBefore: nullable(timestamptz),
      after: nullable(text),
      afterExpiresAt: nullable(timestamptz),
      limit: bigint,
    },
    row: OWNED_DOMAIN,
    text: `${SELECT} where o.user_id = :userId
      and (:after::text is null or ${ORDERS[sort].after})
      and (:text::text is null or position(:text in o.domain) > 0
        or position(:text in o.domain_unicode) > 0)
      and (:tld::text is null or o.tld = :tld)
      and (:tag::text is null or :tag = any(o.tags))
      and (:listed::boolean is null or coalesce(l.status = 'listed', false) = :listed)
      and (:gone::boolean is null or ${IS_GONE} = :gone)
      and (:locked::boolean is null or o.locked = :locked)
      and (:autoRenew::boolean is null or o.auto_renew = :autoRenew)
      and (:privacy::boolean is null or o.privacy = :privacy)
      and (:renewsItself::boolean is null or ${NOT_BY_ITSELF} <> :renewsItself)
      and (:expiresFrom::timestamptz is null or o.expires_at >= :expiresFrom)
      and (:expiresBefore::timestamptz is null or o.expires_at < :expiresBefore)
    order by ${ORDERS[sort].order} limit :limit`,
  }),
);

/** Counts a user's domains: all, those for sale, and of those not gone the ones that end by `soon` or have expired. */
export const countOwned = defineStatement({
  params: { userId: text, today: timestamptz, soon: timestamptz },
  row: { total: integer, listed: integer, ending: integer, expired: integer },
  text: `select count(*)::int as total,
      count(*) filter (where l.status = 'listed')::int as listed,
      count(*) filter (where not ${IS_GONE} and ${NOT_BY_ITSELF}
        and o.expires_at >= :today and o.expires_at < :soon)::int as ending,
      count(*) filter (where not ${IS_GONE} and o.expires_at < :today)::int as expired
    from owned_domains o
    ${PURCHASE_AND_LISTING}
    where o.user_id = :userId`,
});

/** Selects the owner of a domain. */
export const selectOwnerId = defineStatement({
  params: { domain: text },
  row: { userId: text },
  text: 'select user_id as "userId" from owned_domains where domain = :domain',
});

/** Selects those of `domains` that the user owns. */
export const selectOwned = defineStatement({
  params: { userId: text, domains: arrayOf(text) },
  row: OWNED_DOMAIN,
  text: `${SELECT} where o.user_id = :userId and o.domain = any(:domains)`,
  plan: 'once',
});

/** Selects whether a domain's owner bought it with this order. */
export const selectOwnedWith = defineStatement({
  params: { domain: text, orderId: text },
  row: { found: boolean },
  text: `select exists (select from owned_domains where domain = :domain and bought_with = :orderId)
    as found`,
});

/** Selects whether a domain's purchase is disputed, and whether its authorization code is out; no row without an owner. */
export const selectResaleFaults = defineStatement({
  params: { domain: text },
  row: { isDisputed: boolean, isLeaving: boolean },
  text: `select ${IS_DISPUTED} as "isDisputed", ${IS_LEAVING} as "isLeaving"
    from owned_domains o where o.domain = :domain`,
});

/** Deletes a domain from its owner; no row if somebody else owns it. */
export const deleteOwned = defineStatement({
  params: { userId: text, domain: text },
  row: { domain: text },
  text: 'delete from owned_domains where user_id = :userId and domain = :domain returning domain',
});

/** Deletes a domain from its former owner if their purchase was taken back. */
export const deleteReturned = defineStatement({
  params: { domain: text },
  text: `delete from owned_domains o using orders b
    where o.domain = :domain and b.id = o.bought_with and ${IS_RETURNED}`,
});

/** Selects the names of those of `domains` that the user owns, locked until the transaction ends. */
export const selectOwnedForUpdate = defineStatement({
  params: { userId: text, domains: arrayOf(text) },
  row: { domain: text },
  text: `select domain from owned_domains where user_id = :userId and domain = any(:domains)
    order by domain for update`,
});

/** Selects a domain's name, whoever owns it, locked until the transaction ends. */
export const selectForUpdate = defineStatement({
  params: { domain: text },
  row: { domain: text },
  text: 'select domain from owned_domains where domain = :domain for update',
});

/**
 * Selects domains that staff granted, with automatic renewal, and those whose purchase was taken back, that expire by
 * `until`, after a position, in order of expiry. Returned domains and those on legal hold are included whatever their
 * owner has chosen: they must not lapse.
 */
export const selectRenewals = defineStatement({
  params: { expiresAt: timestamptz, domain: text, until: timestamptz, limit: bigint },
  row: { domain: text, expiresAt: timestamptz },
  text: `select o.domain, o.expires_at as "expiresAt"
    from owned_domains o left join orders b on b.id = o.bought_with
    where (${IS_RETURNED} or o.auto_renew and o.bought_with is null
        or o.domain in (select h.domain from legal_holds h where h.lifted_at is null))
      and o.taken_at is null
      and o.expires_at <= :until and (o.expires_at, o.domain) > (:expiresAt, :domain)
    order by o.expires_at, o.domain limit :limit`,
});

/** Domains (alias `o`) whose owner is due an expiry notice, with the value of `days` that is due. */
const TO_TELL = `owned_domains o
      cross join lateral (
        select min(d) as days from unnest(:days::integer[]) d
        where o.expires_at <= :now::timestamptz + make_interval(days => greatest(d, 0))
          and (d >= 0) = (o.expires_at > :now)) s
      ${PURCHASE_AND_LISTING}
      where o.expires_at > :from and o.expires_at <= :until and not ${IS_GONE}
        and o.taken_at is null and (o.told_of_end is distinct from o.expires_at or o.told_days_before > s.days)
      order by o.expires_at, o.domain limit :limit`;
const TELL = {
  now: timestamptz,
  from: timestamptz,
  until: timestamptz,
  days: arrayOf(integer),
  limit: bigint,
};

/** Selects the domains that {@link updateTold} takes next, and whether they have automatic renewal. */
export const selectToTell = defineStatement({
  params: TELL,
  row: { domain: text, autoRenew: boolean },
  text: `select o.domain, o.auto_renew as "autoRenew" from ${TO_TELL}`,
});

/**
 * Takes domains whose owner is due an expiry notice, once per expiry and value of `days` (the last is after expiry).
 * Skips missed notices, domains that another registrar took, and sold or returned domains, which their former owner
 * need not renew.
 */
export const updateTold = defineStatement({
  params: TELL,
  row: {
    domain: text,
    userId: text,
    email: text,
    expiresAt: timestamptz,
    autoRenew: boolean,
    isBought: boolean,
    isDisputed: boolean,
    days: present(integer, 'the statement sets it'),
  },
  text: `with due as (
      select o.domain, s.days
      from ${TO_TELL} for update of o skip locked)
    update owned_domains o set told_of_end = o.expires_at, told_days_before = due.days
    from due join users u on true
    where o.domain = due.domain and u.id = o.user_id
    returning o.domain, o.user_id as "userId", u.email, o.expires_at as "expiresAt",
      o.auto_renew as "autoRenew", o.bought_with is not null as "isBought", ${IS_DISPUTED} as "isDisputed",
      o.told_days_before as days`,
});

/** Stores a registrar's report unless a later version is stored. */
export const updateFacts = defineStatement({
  params: { rows: jsonb<readonly FactsRow[]>(), now: timestamptz },
  text: `with told as (
      select * from jsonb_to_recordset(:rows::jsonb) as r(${FACTS_RECORD})
    ), locked as (
      select o.domain from owned_domains o join told r on r.domain = o.domain
      order by o.domain for update of o
    )
    update owned_domains o set (${FACTS_COLUMNS}) = row (${FACTS_VALUES}), updated_at = :now,
      renewal_fault = case when r.expires_at = o.expires_at then o.renewal_fault end
    from told r join locked on locked.domain = r.domain
    where o.domain = r.domain and o.registrar_version <= r.version`,
  plan: 'once',
});

/** Records since when another registrar has a domain that nobody here let go. */
export const updateTaken = defineStatement({
  params: { domain: text, now: timestamptz },
  text: 'update owned_domains set taken_at = :now where domain = :domain',
});

/** Selects domains that another registrar took, using the index `owned_domains_taken`. */
export const selectTaken = defineStatement({
  params: { after: text, limit: bigint },
  row: { domain: text },
  text: `select domain from owned_domains where taken_at is not null and domain > :after
    order by domain limit :limit`,
});

/** Selects since when another registrar has a domain, and from whom it was taken. */
export const selectTakenFrom = defineStatement({
  params: { domain: text },
  row: { email: text, takenAt: present(timestamptz, 'the statement asks for it') },
  text: `select u.email, o.taken_at as "takenAt" from owned_domains o join users u on u.id = o.user_id
    where o.domain = :domain and o.taken_at is not null`,
});

/** Records that a domain which another registrar took is back; no row if it was not taken. */
export const updateReturned = defineStatement({
  params: { domain: text },
  row: { userId: text },
  text: `update owned_domains set taken_at = null where domain = :domain and taken_at is not null
    returning user_id as "userId"`,
});

/** Records why an automatic renewal failed, unless the expiry has changed. */
export const updateRenewalFault = defineStatement({
  params: { domain: text, expiresAt: timestamptz, reason: text },
  text: `update owned_domains set renewal_fault = :reason
    where domain = :domain and expires_at = :expiresAt`,
});

/** Replaces the tags of domains. */
export const updateTags = defineStatement({
  params: {
    tagged: jsonb<readonly { domain: string; tags: readonly string[] }[]>(),
    now: timestamptz,
  },
  text: `update owned_domains o set tags = r.tags, updated_at = :now
    from jsonb_to_recordset(:tagged::jsonb) as r(domain text, tags text[])
    where o.domain = r.domain`,
});

/**
 * Grants domains to a user and returns those the user owns now, and whether each is new; domains of other owners stay
 * unchanged, unless they are no longer theirs. Also returns the owners before of these, see {@link deleteGone}.
 */
export async function writeDomains(
  tx: Tx,
  userId: string,
  domains: readonly { name: DomainName; facts: DomainFacts }[],
  now: Date,
): Promise<{
  theirs: { domain: string; isNew: boolean }[];
  former: { domain: string; userId: string }[];
}> {
  const rows = domains.map(toNewRow);
  const former = await deleteGone.all(tx, { domains: rows.map(({ domain }) => domain) });
  return { theirs: await upsertDomains.all(tx, { userId, now, rows }), former };
}

/** Transfers a sold domain to its buyer, whoever owned it. */
export async function writeBought(
  tx: Tx,
  {
    name,
    facts,
    ...owner
  }: { name: DomainName; facts: DomainFacts; userId: string; orderId: string },
  now: Date,
): Promise<void> {
  await upsertBought.run(tx, { ...owner, row: toNewRow({ name, facts }), now });
}

function toNewRow({ name, facts }: { name: DomainName; facts: DomainFacts }): NewDomainRow {
  return {
    ...toFactsRow(facts),
    domain: name.ascii,
    domain_unicode: name.unicode,
    tld: name.tld,
  };
}

/** Returns a page of a user's domains, after a position. */
export async function listOwned(
  sql: Sql,
  userId: string,
  filter: OwnedDomainFilter,
  page: { sort: OwnedDomainSort; after: OwnedDomainPosition | null; limit: number },
): Promise<OwnedDomain[]> {
  const { sort, after, limit } = page;
  const place = { after: after?.domain ?? null, afterExpiresAt: after?.expiresAt ?? null };
  const rows = await selectPage[sort].all(sql, { ...filter, userId, ...place, limit });
  return rows.map(toOwnedDomain);
}

/** Returns those of `domains` that the user owns. */
export async function readOwned(
  sql: Sql,
  userId: string,
  domains: readonly string[],
): Promise<OwnedDomain[]> {
  return (await selectOwned.all(sql, { userId, domains })).map(toOwnedDomain);
}

/** Like {@link readOwned}, but locks the rows until the transaction ends. */
export async function lockOwned(
  tx: Tx,
  userId: string,
  domains: readonly string[],
): Promise<OwnedDomain[]> {
  await selectOwnedForUpdate.run(tx, { userId, domains });
  return readOwned(tx, userId, domains);
}

/** Stores a registrar's report unless a later version is stored. */
export async function writeFacts(tx: Tx, facts: readonly DomainFacts[], now: Date): Promise<void> {
  await updateFacts.run(tx, { now, rows: facts.map(toFactsRow) });
}

function toFactsRow(facts: DomainFacts): FactsRow {
  return {
    domain: facts.domain,
    nameservers: facts.nameservers,
    locked: facts.locked,
    auto_renew: facts.autoRenew,
    privacy: facts.privacy,
    held: facts.held,
    signers: facts.signers,
    registered_at: facts.registeredAt,
    transferred_at: facts.transferredAt,
    expires_at: facts.expiresAt,
    version: facts.version,
  };
}

function toOwnedDomain({ listing, ...owned }: RowOf<typeof OWNED_DOMAIN>): OwnedDomain {
  if (listing === null) return { ...owned, listing };
  const { priceCents, floorPriceCents, currency, ...rest } = listing;
  return {
    ...owned,
    listing: {
      ...rest,
      price: new Money(priceCents, currency),
      floorPrice: moneyOrNull(floorPriceCents, currency),
    },
  };
}
