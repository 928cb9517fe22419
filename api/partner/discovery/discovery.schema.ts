import { Type } from 'typebox';
import { Instant, nullable } from '../../http/schema.ts';

const Cents = Type.Integer({ minimum: 1, description: 'Minor units of `currency`.' });
const Domain = Type.String({ description: 'A-labels, lower case.' });

const AskedDomain = Type.String({
  maxLength: 1_024,
  description: 'A registrable domain in any spelling: Unicode or A-labels, any case.',
});

/** `?domain=` of the single-domain reads. */
export const DomainQuery = Type.Object({ domain: AskedDomain });
export const DomainParams = Type.Object({ name: AskedDomain });

export const SearchQuery = Type.Object({
  q: Type.String({
    maxLength: 4_096,
    description: 'What the name is for, or a name: 2 to 200 characters after trimming.',
  }),
  tld: Type.Optional(
    Type.String({ maxLength: 1_024, description: 'Only these suffixes, comma-separated.' }),
  ),
  min_price_cents: Type.Optional(Type.Integer({ minimum: 0 })),
  max_price_cents: Type.Optional(Type.Integer({ minimum: 0 })),
  explain: Type.Optional(
    Type.Boolean({ description: 'Say of each result why it has its score. SANDBOX only.' }),
  ),
});

const Share = Type.Number({ minimum: 0, maximum: 1 });

/** Why a result has its score: what `explain=true` adds. */
const Explanation = Type.Object(
  {
    exact: nullable(Type.Enum(['domain', 'label'])),
    coverage: Share,
    precision: Share,
    order: Share,
    agreement: Share,
    quality: Share,
    words: Type.Array(
      Type.Object({
        asked: Type.String(),
        met_by: nullable(Type.String()),
        where: nullable(Type.Enum(['label', 'tld', 'tags', 'about'])),
        worth: Share,
      }),
    ),
  },
  { description: 'Why it has its score; with `explain=true` only.' },
);

export const SearchAnswer = Type.Object(
  {
    query: Type.String(),
    count: Type.Integer({ minimum: 0, maximum: 5 }),
    results: Type.Array(
      Type.Object(
        {
          domain: Domain,
          domain_unicode: Type.String(),
          tld: Type.String(),
          price_cents: Cents,
          currency: Type.String(),
          offers_accepted: Type.Boolean(),
          category: nullable(Type.String()),
          score: Share,
          explanation: Type.Optional(Explanation),
        },
        { title: 'SearchResult', description: 'A domain that fits, and what it costs.' },
      ),
      { maxItems: 5 },
    ),
  },
  { title: 'SearchResults', description: 'The relevant domains, best first.' },
);

export const DomainDetail = Type.Object(
  {
    domain: Domain,
    domain_unicode: Type.String(),
    sld: Type.String({ description: 'The label before the public suffix, as A-label.' }),
    tld: Type.String(),
    available: Type.Boolean({ description: 'Whether this partner can buy it now.' }),
    status: Type.Enum(['listed', 'held', 'sold', 'delisted']),
    price_cents: Cents,
    floor_price_cents: nullable(Cents),
    currency: Type.String(),
    offers_accepted: Type.Boolean(),
    category: nullable(Type.String()),
    description: nullable(Type.String()),
    keywords: Type.Array(Type.String()),
    length: Type.Integer({ description: 'Characters of the label, as a reader counts them.' }),
    listed_at: Instant,
    updated_at: Instant,
  },
  { title: 'DomainDetail', description: 'A domain of the inventory.' },
);

export const Availability = Type.Object(
  {
    domain: Domain,
    available: Type.Boolean(),
    price_cents: nullable(Cents),
    currency: nullable(Type.String()),
  },
  { title: 'Availability', description: 'Whether it can be bought now.' },
);

export const Pricing = Type.Object(
  {
    domain: Domain,
    price_cents: Cents,
    floor_price_cents: nullable(Cents),
    currency: Type.String(),
  },
  { title: 'Pricing', description: 'What a listed domain costs.' },
);
