import type { DomainName } from '../../market/inventory/domain-name.ts';
import { prepared, type Sql, type Tx } from '../../platform/database/postgres.ts';
import { Money, moneyOrNull } from '../../platform/money.ts';
import type { DomainFacts } from '../registrar/registrar.ts';
import type { OwnedDomain, OwnedDomainFilter, OwnedListing } from './owned-domain.ts';

const SELECT = `select o.domain, o.domain_unicode as unicode, o.tld, o.nameservers, o.locked,
    o.auto_renew as "autoRenew", o.privacy, o.expires_at as "expiresAt", o.tags,
    case when l.id is null then null else json_build_object('status', l.status,
      'priceCents', l.price_cents, 'floorPriceCents', l.floor_price_cents, 'currency', l.currency,
      'offersAccepted', l.offers_accepted) end as listing
  from owned_domains o
  left join listings l on l.environment = 'LIVE' and l.domain = o.domain`;

type Row = Omit<OwnedDomain, 'listing'> & {
  listing:
    | (Omit<OwnedListing, 'price' | 'floorPrice'> & {
        priceCents: number;
        floorPriceCents: number | null;
        currency: string;
      })
    | null;
};

function toOwnedDomain({ listing, ...owned }: Row): OwnedDomain {
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

/** Gives domains to a user, and says which they have now; those of others stay theirs. */
export async function insertDomains(
  tx: Tx,
  userId: string,
  domains: readonly { name: DomainName; facts: DomainFacts }[],
  now: Date,
): Promise<Set<string>> {
  const rows = domains.map(({ name, facts }) => ({
    domain: name.ascii,
    domain_unicode: name.unicode,
    tld: name.tld,
    nameservers: facts.nameservers,
    locked: facts.locked,
    auto_renew: facts.autoRenew,
    privacy: facts.privacy,
    expires_at: facts.expiresAt,
    version: facts.version,
  }));
  // Touched although nothing changes, so that the domains that were theirs before are answered as well.
  const result = await tx.raw(
    `insert into owned_domains as o (domain, domain_unicode, tld, user_id, nameservers, locked,
       auto_renew, privacy, expires_at, registrar_version, granted_at, updated_at)
     select r.domain, r.domain_unicode, r.tld, :userId, r.nameservers, r.locked, r.auto_renew,
       r.privacy, r.expires_at, r.version, :now, :now
     from jsonb_to_recordset(:rows::jsonb) as r(domain text, domain_unicode text, tld text,
       nameservers text[], locked boolean, auto_renew boolean, privacy boolean,
       expires_at timestamptz, version bigint)
     order by r.domain collate "C"
     on conflict (domain) do update set user_id = o.user_id where o.user_id = excluded.user_id
     returning o.domain`,
    { userId, now, rows: JSON.stringify(rows) },
  );
  return new Set(result.rows.map((row: { domain: string }) => row.domain));
}

/** A page of a user's domains by name, after `after`. */
export async function selectPage(
  sql: Sql,
  userId: string,
  filter: OwnedDomainFilter,
  page: { after: string | null; limit: number },
): Promise<OwnedDomain[]> {
  const wanted = ['o.user_id = :userId'];
  if (page.after !== null) wanted.push('o.domain > :after');
  if (filter.tld !== null) wanted.push('o.tld = :tld');
  if (filter.tag !== null) wanted.push(':tag = any(o.tags)');
  if (filter.listed !== null) wanted.push(`coalesce(l.status = 'listed', false) = :listed`);
  if (filter.expiresBefore !== null) wanted.push('o.expires_at < :expiresBefore');
  const { rows } = await sql.raw(
    `${SELECT} where ${wanted.join(' and ')} order by o.domain limit :limit`,
    { userId, ...filter, ...page },
  );
  return rows.map(toOwnedDomain);
}

/** Those of `domains` that are the user's. */
export async function selectOwned(
  sql: Sql,
  userId: string,
  domains: readonly string[],
): Promise<OwnedDomain[]> {
  const { rows } = await prepared(
    sql,
    `${SELECT} where o.user_id = :userId and o.domain = any(:domains)`,
    { userId, domains: [...domains] },
  );
  return rows.map(toOwnedDomain);
}

/** The same, locked until the transaction ends. */
export async function lockOwned(
  tx: Tx,
  userId: string,
  domains: readonly string[],
): Promise<OwnedDomain[]> {
  await tx.raw(
    `select 1 from owned_domains where user_id = :userId and domain = any(:domains)
     order by domain for update`,
    { userId, domains: [...domains] },
  );
  return selectOwned(tx, userId, domains);
}

/** Takes over what the registrar told, where nothing newer is known. */
export async function updateFacts(tx: Tx, facts: readonly DomainFacts[], now: Date): Promise<void> {
  await prepared(
    tx,
    `with told as (
       select * from jsonb_to_recordset(:rows::jsonb) as r(domain text, nameservers text[],
         locked boolean, auto_renew boolean, privacy boolean, expires_at timestamptz, version bigint)
     ), locked as (
       select o.domain from owned_domains o join told r on r.domain = o.domain
       order by o.domain for update of o
     )
     update owned_domains o set nameservers = r.nameservers, locked = r.locked,
       auto_renew = r.auto_renew, privacy = r.privacy, expires_at = r.expires_at,
       registrar_version = r.version, updated_at = :now
     from told r join locked on locked.domain = r.domain
     where o.domain = r.domain and o.registrar_version < r.version`,
    {
      now,
      rows: JSON.stringify(
        facts.map(({ autoRenew, expiresAt, ...rest }) => ({
          ...rest,
          auto_renew: autoRenew,
          expires_at: expiresAt,
        })),
      ),
    },
  );
}

export async function updateTags(
  tx: Tx,
  tagged: readonly { domain: string; tags: readonly string[] }[],
  now: Date,
): Promise<void> {
  await tx.raw(
    `update owned_domains o set tags = r.tags, updated_at = :now
     from jsonb_to_recordset(:rows::jsonb) as r(domain text, tags text[])
     where o.domain = r.domain`,
    { now, rows: JSON.stringify(tagged) },
  );
}
