import { Type } from 'typebox';
import { nullable } from '../../http/schema.ts';

const MAX_QUERY = 512;
const MAX_TLDS = 20;

export const DomainSearchBody = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: MAX_QUERY,
    description: 'A domain or a label, in any spelling: `neonwallet.com`, `neon wallet`, `bücher`.',
  }),
  tlds: Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), {
      minItems: 1,
      maxItems: MAX_TLDS,
      description: 'The siblings to look at, in this order, instead of the usual ones.',
    }),
  ),
});

export const DomainSearchView = Type.Object(
  {
    query: Type.String({ description: '`q`, trimmed.' }),
    label: Type.String({ description: 'The label that was looked for, as A-label.' }),
    results: Type.Array(
      Type.Object({
        domain: Type.String({ description: 'A-labels, lower case.' }),
        tld: Type.String(),
        status: Type.Enum(['available', 'registered', 'for_sale', 'unknown']),
        available: nullable(
          Type.Boolean({
            description: 'Whether it is free to be registered. Null while that is `unknown`.',
          }),
        ),
        registration_price_cents: nullable(
          Type.Integer({
            description: 'For `registration_years`. Null when it cannot be registered here.',
          }),
        ),
        registration_years: nullable(
          Type.Integer({ description: 'The shortest term that is sold.' }),
        ),
        currency: Type.String({ description: 'Of whichever price is told.' }),
        listing: nullable(
          Type.Object(
            {
              price_cents: nullable(Type.Integer({ description: 'Null while masked.' })),
              price_masked: Type.Boolean(),
              price_display: Type.String({ examples: ['$4,8**', '$4,850'] }),
              offers_accepted: Type.Boolean(),
            },
            { description: 'What its owner asks. Null unless it is for sale.' },
          ),
        ),
      }),
      {
        description:
          'The asked-for domain, its siblings, then other domains for sale that answer the query.',
      },
    ),
    signed_in: Type.Boolean(),
  },
  { description: 'What is known of a name, and what could be had instead.' },
);
