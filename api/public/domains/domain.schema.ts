import { Type } from 'typebox';
import { PageQuery } from '../../http/pagination.ts';
import { dateOrInstant, Instant, nullable } from '../../http/schema.ts';

export const DomainsQuery = Type.Object({
  ...PageQuery,
  tld: Type.Optional(Type.String({ maxLength: 255, description: 'Only this suffix: `com`.' })),
  tag: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Only with this tag, in any case.' }),
  ),
  listed: Type.Optional(
    Type.Boolean({ description: 'Only what is on the market, or only what is not.' }),
  ),
  expires_before: Type.Optional(dateOrInstant('Exclusive.')),
});

const OwnedListing = Type.Object(
  {
    status: Type.Enum(['listed', 'sold', 'delisted']),
    price_cents: Type.Integer(),
    floor_price_cents: nullable(Type.Integer()),
    currency: Type.String(),
    offers_accepted: Type.Boolean(),
  },
  { description: 'On the public market.' },
);

export const DomainsView = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          domain: Type.String({ description: 'A-labels, lower case.' }),
          unicode: Type.String(),
          tld: Type.String(),
          nameservers: Type.Array(Type.String()),
          locked: Type.Boolean({ description: 'Against transfers away.' }),
          auto_renew: Type.Boolean(),
          privacy: Type.Boolean({ description: 'Whether WHOIS hides the registrant.' }),
          expires_at: Instant,
          tags: Type.Array(Type.String()),
          listing: nullable(OwnedListing),
        },
        { title: 'OwnedDomain' },
      ),
    ),
    page: Type.Object({
      limit: Type.Integer(),
      has_more: Type.Boolean(),
      next_cursor: nullable(Type.String()),
    }),
  },
  { title: 'OwnedDomainList', description: "The caller's domains, by name." },
);
