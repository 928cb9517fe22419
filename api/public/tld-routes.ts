import { type Static, Type } from 'typebox';
import { registrantSchema } from '../../shared/domains/registrants/registrant-schema.ts';
import { TLD_OPS, type Tld, TldRules, TldTerm } from '../../shared/market/tlds/tld.ts';
import { findTld, listTlds } from '../../shared/market/tlds/tld-catalogue.ts';
import { listTransferPolicies } from '../../shared/market/tlds/transfer-policies.ts';
import {
  lockDaysOf,
  type TransferPolicies,
  transferPolicyOf,
} from '../../shared/market/tlds/transfer-policy.ts';
import { fail } from '../../shared/platform/errors.ts';
import { Instant } from '../http/common-schemas.ts';
import { reply } from '../http/reply.ts';
import { publicRoute } from './public-route.ts';

const AskedTld = Type.String({
  maxLength: 1_024,
  description:
    'A TLD in any spelling: Unicode or A-labels, any case, with or without a leading dot.',
});

const TldParams = Type.Object({ tld: AskedTld });

const TldPricingQuery = Type.Object({
  tld: AskedTld,
  op: Type.Enum([...TLD_OPS], {
    default: 'register',
    description: 'The operation the price applies to.',
  }),
});

const tldFields = {
  tld: Type.String({ description: 'In A-labels (Punycode), lower case.' }),
  unicode: Type.String(),
  term: TldTerm,
  ...TldRules.properties,
  transfer: Type.Object({
    ...TldRules.properties.transfer.properties,
    lock_days: Type.Integer({
      minimum: 0,
      description:
        'The number of days after registration or transfer in which the domain cannot be transferred, under current rules.',
    }),
  }),
  updated_at: Instant,
};

const TldRequirements = Type.Object(tldFields, {
  title: 'TldRequirements',
  description: 'The registration requirements of a TLD.',
});

const TldMetadata = Type.Object(
  {
    ...tldFields,
    registrant_schema: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'The registrant requirements as a JSON Schema (2020-12). Postal codes, phone numbers and check digits are checked when you send a registrant.',
    }),
  },
  {
    title: 'TldMetadata',
    description: 'The registration requirements of a TLD, with its registrant schema.',
  },
);

export const TldList = Type.Object(
  { tlds: Type.Array(TldRequirements) },
  {
    title: 'TldList',
    description: 'All known TLDs. Those without prices are not sold.',
  },
);

const TldPricing = Type.Object(
  {
    tld: Type.String({ description: 'In A-labels (Punycode), lower case.' }),
    op: Type.Enum([...TLD_OPS]),
    price_cents: Type.Integer({ minimum: 0, description: 'For `years`. 0 is free.' }),
    price: Type.String({
      pattern: '^\\d+\\.\\d{2}$',
      description: 'The same amount as a decimal.',
    }),
    currency: Type.Literal('USD'),
    years: Type.Integer({ minimum: 1, description: 'The shortest registration term available.' }),
    updated_at: Instant,
  },
  { title: 'TldPrice', description: 'The price of one operation.' },
);

/** `GET /tlds`: lists every TLD we know, on one page. */
export const listTldsRoute = publicRoute({
  method: 'GET',
  path: '/tlds',
  operationId: 'listTlds',
  summary: 'List the TLDs with their registration requirements.',
  limit: 'reads',
  responses: { 200: TldList },
  async handler(context) {
    const [tlds, policies] = await Promise.all([listTlds(context), listTransferPolicies(context)]);
    const now = context.clock.now();
    return reply(200, { tlds: tlds.map((tld) => requirementsView(tld, policies, now)) });
  },
});

/** `GET /tlds/{tld}/metadata`: what a TLD requires for a registration; 404 if we don't know it. */
export const getTldMetadataRoute = publicRoute({
  method: 'GET',
  path: '/tlds/:tld/metadata',
  operationId: 'getTldMetadata',
  summary: 'Read the registration requirements of a TLD.',
  limit: 'reads',
  params: TldParams,
  responses: { 200: TldMetadata },
  async handler(context, { params }) {
    const found = await findTld(context, params.tld, '/tld');
    const policies = await listTransferPolicies(context);
    return reply(200, {
      ...requirementsView(found, policies, context.clock.now()),
      registrant_schema: registrantSchema(found.tld, found.rules),
    });
  },
});

const CENTS = 100;

/** `GET /pricing/tld`: the price of one operation for the shortest term; 404 if it is not offered. */
export const getTldPricingRoute = publicRoute({
  method: 'GET',
  path: '/pricing/tld',
  operationId: 'getTldPricing',
  summary:
    'Read the prices for registering, renewing, transferring or restoring a name under a TLD.',
  limit: 'reads',
  query: TldPricingQuery,
  responses: { 200: TldPricing },
  errors: ['not_found'],
  async handler(context, { query: { tld: text, op } }) {
    const found = await findTld(context, text, '/tld');
    const cents = found.priceCents[op];
    if (cents === null) {
      throw fail('not_found', { message: `"${op}" is not offered for .${found.tld}.` });
    }
    return reply(200, {
      tld: found.tld,
      op,
      price_cents: cents,
      price: (cents / CENTS).toFixed(2),
      currency: 'USD',
      years: found.minYears,
      updated_at: found.updatedAt.toISOString(),
    });
  },
});

/** Returns the rules of a TLD as the public API shows them. */
function requirementsView(
  tld: Tld,
  policies: TransferPolicies,
  now: Date,
): Static<typeof TldRequirements> {
  const { type, transfer, ...rules } = tld.rules;
  const { auth_code_required, lock_supported } = transfer;
  const lock_days = lockDaysOf(transferPolicyOf(policies, tld.tld, now));
  return {
    tld: tld.tld,
    unicode: tld.unicode,
    type,
    term: { min_years: tld.minYears, max_years: tld.maxYears },
    transfer: { auth_code_required, lock_supported, lock_days },
    ...rules,
    updated_at: tld.updatedAt.toISOString(),
  };
}
