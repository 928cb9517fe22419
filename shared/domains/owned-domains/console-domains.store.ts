import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  bigint,
  boolean,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { NAME_SORTS } from '../../platform/page.ts';

// Lists for the console only. A unique index serves each page, whatever the size of the table.

const OWNED_DOMAIN = {
  domain: text,
  domainUnicode: text,
  userId: text,
  email: text,
  locked: boolean,
  autoRenew: boolean,
  privacy: boolean,
  expiresAt: timestamptz,
  /** Why the last automatic renewal failed. */
  renewalFault: nullable(text),
  /** Whether its owner is transferring it to another registrar. */
  leaving: boolean,
  /** Since when another registrar has it although nobody here let it go. */
  takenAt: nullable(timestamptz),
  /** Whether its purchase was refunded: it is shown to its buyer as returned until it has its next owner. */
  returned: boolean,
  /** The state of the registrant's address; `held` if the domain is out of the DNS; null without a registrant. */
  registrant: nullable(textOf<'verified' | 'pending' | 'held'>()),
};
export type ConsoleOwnedDomain = RowOf<typeof OWNED_DOMAIN>;

/** Whether the purchase of a domain (alias `d`) was taken back. */
const IS_RETURNED = `exists (select from orders b where b.id = d.bought_with and b.status in ('REFUNDED', 'CANCELLED'))`;
/**
 * Whether an automatic renewal of a domain (alias `d`) was missed: staff granted it or its purchase was refunded, and the
 * service tries to renew it from 30 days before its expiry. Excludes sold domains, which their former owner need not
 * renew.
 */
const IS_UNRENEWED = `d.expires_at > :now::timestamptz - interval '30 days'
  and d.expires_at < :now::timestamptz + interval '29 days'
  and (${IS_RETURNED} or d.auto_renew and d.bought_with is null and not exists (select from listings l
    where l.environment = 'LIVE' and l.domain = d.domain and l.status = 'sold'))`;

/** Selects owners' domains by name with a given prefix, using the primary key or the index of one owner. */
export const selectOwnedDomains = variantsOf(NAME_SORTS, (sort) =>
  defineStatement({
    params: {
      userId: nullable(text),
      unrenewed: boolean,
      now: timestamptz,
      beginning: text,
      from: nullable(timestamptz),
      to: nullable(timestamptz),
      after: nullable(text),
      limit: bigint,
    },
    row: OWNED_DOMAIN,
    text: `select d.domain, d.domain_unicode as "domainUnicode", d.user_id as "userId", u.email, d.locked,
        d.auto_renew as "autoRenew", d.privacy, d.expires_at as "expiresAt", d.renewal_fault as "renewalFault",
        exists (select from transfers_out t where t.domain = d.domain and t.ended_at is null) as leaving,
        d.taken_at as "takenAt", ${IS_RETURNED} as returned,
        (select case when r.verification = 'verified' then 'verified' when r.hold = 'set' then 'held'
            else 'pending' end
          from domain_registrants r where r.environment = 'LIVE' and r.domain = d.domain) as registrant
      from owned_domains d join users u on u.id = d.user_id
      where d.domain like :beginning and (:userId::text is null or d.user_id = :userId)
        and (not :unrenewed::boolean or (${IS_UNRENEWED}))
        and (:from::timestamptz is null or d.expires_at >= :from)
        and (:to::timestamptz is null or d.expires_at < :to)
        and (:after::text is null or d.domain ${sort === 'a_to_z' ? '>' : '<'} :after)
      order by d.domain ${sort === 'a_to_z' ? 'asc' : 'desc'} limit :limit`,
  }),
);
