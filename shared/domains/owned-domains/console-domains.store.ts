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

// Lists that only the console has: each page is read by a unique index, whatever the length of the table.

const OWNED_DOMAIN = {
  domain: text,
  domainUnicode: text,
  userId: text,
  email: text,
  locked: boolean,
  autoRenew: boolean,
  privacy: boolean,
  expiresAt: timestamptz,
  /** Why the last try to renew it by itself failed. */
  renewalFault: nullable(text),
  /** Whether its owner takes it to another registrar. */
  leaving: boolean,
  /** Whether the registrant's address is verified, and `held` where the domain is out of the DNS; null without one. */
  registrant: nullable(textOf<'verified' | 'pending' | 'held'>()),
};
export type ConsoleOwnedDomain = RowOf<typeof OWNED_DOMAIN>;

/**
 * Whether a domain, as `d`, should have been renewed by itself and was not: staff granted it, and the service tries
 * from 30 days before its end on. One that was sold is not its former owner's to keep.
 */
const IS_UNRENEWED = `d.auto_renew and d.bought_with is null
  and d.expires_at > :now::timestamptz - interval '30 days'
  and d.expires_at < :now::timestamptz + interval '29 days'
  and not exists (select from listings l
    where l.environment = 'LIVE' and l.domain = d.domain and l.status = 'sold')`;

/** Owners' domains by name, those that begin with a text: by the primary key, or of one owner by its index. */
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
