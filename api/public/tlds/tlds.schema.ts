import { Type } from 'typebox';
import { TLD_OPS, TldRules, TldTerm } from '../../../shared/tlds/tld.ts';
import { Instant } from '../../http/schema.ts';

const AskedTld = Type.String({
  maxLength: 1_024,
  description:
    'A TLD in any spelling: Unicode or A-labels, any case, with or without a leading dot.',
});

export const TldParams = Type.Object({ tld: AskedTld });

export const TldPricingQuery = Type.Object({
  tld: AskedTld,
  op: Type.Enum([...TLD_OPS], { default: 'register', description: 'What the price is for.' }),
});

export const TldMetadata = Type.Object(
  {
    tld: Type.String({ description: 'A-labels, lower case.' }),
    unicode: Type.String(),
    term: TldTerm,
    ...TldRules.properties,
    updated_at: Instant,
  },
  { title: 'TldRequirements', description: 'What a TLD asks of a registration.' },
);

export const TldList = Type.Object(
  { tlds: Type.Array(TldMetadata) },
  { title: 'TldList', description: 'All TLDs that are sold.' },
);

export const TldPricing = Type.Object(
  {
    tld: Type.String({ description: 'A-labels, lower case.' }),
    op: Type.Enum([...TLD_OPS]),
    price_cents: Type.Integer({ minimum: 0, description: 'For `years`. 0 is free.' }),
    price: Type.String({ pattern: '^\\d+\\.\\d{2}$', description: 'The same as a decimal.' }),
    currency: Type.Literal('USD'),
    years: Type.Integer({ minimum: 1, description: 'The shortest term that is sold.' }),
    updated_at: Instant,
  },
  { title: 'TldPrice', description: 'What one operation costs.' },
);
