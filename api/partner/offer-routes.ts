import { Type } from 'typebox';
import { parseMarketDomain } from '../../shared/market/names/domain-name.ts';
import type { SignedTokens } from '../../shared/platform/crypto/signed-tokens.ts';
import { CURRENCY_CODE } from '../../shared/platform/json-schema.ts';
import { MAX_PRICE_CENTS } from '../../shared/platform/money.ts';
import { OFFER_STATUSES, type Offer } from '../../shared/sales/offers/offer.ts';
import {
  acceptOffer,
  counterOffer,
  declineOffer,
  makeOffer,
} from '../../shared/sales/offers/offer-lifecycle.ts';
import { getOffer, listOffers } from '../../shared/sales/offers/read-offers.ts';
import { writeQuoteToken } from '../../shared/sales/quotes/quote.ts';
import { Instant, nullable } from '../http/common-schemas.ts';
import { BY_TIME, PageQuery } from '../http/pagination.ts';
import { reply } from '../http/reply.ts';
import { BuyerInput, readBuyer } from './order-schemas.ts';
import { type PartnerRoute, partnerRoute } from './partner-route.ts';

const Cents = Type.Integer({ minimum: 1, maximum: MAX_PRICE_CENTS });

const OfferInput = Type.Object(
  {
    domain: Type.String({ minLength: 1, maxLength: 512 }),
    amount_cents: Type.Integer({
      minimum: 1,
      maximum: MAX_PRICE_CENTS,
      description:
        "Below the buy-now price, at least the listing's `floor_price_cents` if set, in its currency.",
    }),
    currency: Type.Optional(
      nullable(
        Type.String({
          pattern: CURRENCY_CODE,
          description:
            "ISO 4217. If you send it, it must be the listing's: an offer in another one is refused.",
        }),
      ),
    ),
    buyer: BuyerInput,
  },
  {
    title: 'OfferInput',
    examples: [
      { domain: 'neonwallet.com', amount_cents: 400_000, buyer: { email: 'buyer@example.com' } },
    ],
  },
);

const amount = (description: string) => nullable(Type.Integer({ description }));

const offerFields = {
  id: Type.String(),
  domain: Type.String(),
  status: Type.Enum([...OFFER_STATUSES]),
  amount_cents: Type.Integer({ description: "The buyer's latest offer." }),
  counter_cents: amount("The owner's latest price."),
  price_cents: amount('The agreed price.'),
  currency: Type.String(),
  quote_id: nullable(
    Type.String({
      description:
        'Set once the offer is accepted, and null again once it is released. Use it in `POST /orders` or `POST /checkout-session`.',
    }),
  ),
  quote_expires_at: nullable({ ...Instant, description: 'Null without a `quote_id`.' }),
  environment: Type.Enum(['SANDBOX', 'LIVE']),
  created_at: Instant,
  updated_at: Instant,
  expires_at: { ...Instant, description: 'The deadline for a response.' },
};

const OfferView = Type.Object(offerFields, {
  title: 'Offer',
  description: "A buyer's offer for a listed domain.",
});

const OfferListView = Type.Object(
  { offers: Type.Array(Type.Object(offerFields)), next_cursor: nullable(Type.String()) },
  { title: 'OfferList', description: 'Offers, newest first.' },
);

const OfferListQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(Type.Enum([...OFFER_STATUSES])),
});

const OfferParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) });

const CounterInput = Type.Object(
  { amount_cents: Cents },
  { title: 'OfferCounterInput', examples: [{ amount_cents: 420_000 }] },
);

const SCOPES = ['buy', 'embed'] as const;

/** `POST /offers`: makes a buyer's offer, below the buy-now price. */
const createOfferRoute = partnerRoute({
  method: 'POST',
  path: '/v1/offers',
  operationId: 'createOffer',
  summary: 'Make an offer for a domain.',
  description:
    'For listings with `offers_accepted`. Our staff answer for the owner within seven days, or the offer expires; some offers are accepted immediately. An accepted offer becomes a quote for 48 hours.',
  scopes: SCOPES,
  limit: 'write',
  body: OfferInput,
  responses: { 201: OfferView },
  errors: ['not_found', 'conflict'],
  async handler(context, { caller, body }) {
    const offer = await makeOffer(context, caller, {
      domain: parseMarketDomain(body.domain).ascii,
      amountCents: body.amount_cents,
      currency: body.currency ?? null,
      buyer: readBuyer(body.buyer),
    });
    return reply(201, await offerView(context, offer));
  },
});

/** `GET /offers`: lists the partner's offers, newest first. */
const listOffersRoute = partnerRoute({
  method: 'GET',
  path: '/v1/offers',
  operationId: 'listOffers',
  summary: 'List your offers, newest first.',
  scopes: SCOPES,
  limit: 'reads',
  query: OfferListQuery,
  responses: { 200: OfferListView },
  errors: ['invalid_cursor'],
  async handler(context, { caller, query }) {
    const { limit, cursor, ...filters } = query;
    const cursors = context.cursors.ofPartner(caller, ['offers', filters], BY_TIME);
    const { rows, next } = await listOffers(context, caller, {
      status: filters.status ?? null,
      before: await cursors.read(cursor),
      limit,
    });
    const offers = await Promise.all(rows.map((offer) => offerView(context, offer)));
    return reply(200, { offers, next_cursor: await cursors.write(next) });
  },
});

/** `GET /offers/{id}`: the current state of an offer. */
const getOfferRoute = partnerRoute({
  method: 'GET',
  path: '/v1/offers/:id',
  operationId: 'getOffer',
  summary: 'Read an offer.',
  scopes: SCOPES,
  limit: 'reads',
  params: OfferParams,
  responses: { 200: OfferView },
  async handler(context, { caller, params }) {
    return reply(200, await offerView(context, await getOffer(context, caller, params.id)));
  },
});

/** `POST /offers/{id}/accept`: the buyer accepts the owner's price. */
const acceptOfferRoute = partnerRoute({
  method: 'POST',
  path: '/v1/offers/:id/accept',
  operationId: 'acceptOffer',
  summary: "Accept the owner's counteroffer.",
  scopes: SCOPES,
  limit: 'write',
  params: OfferParams,
  responses: { 200: OfferView },
  errors: ['conflict'],
  async handler(context, { caller, params }) {
    return reply(200, await offerView(context, await acceptOffer(context, caller, params.id)));
  },
});

/** `POST /offers/{id}/counter`: the buyer makes a counter-offer. */
const counterOfferRoute = partnerRoute({
  method: 'POST',
  path: '/v1/offers/:id/counter',
  operationId: 'counterOffer',
  summary: "Answer the owner's counteroffer with another price.",
  scopes: SCOPES,
  limit: 'write',
  params: OfferParams,
  body: CounterInput,
  responses: { 200: OfferView },
  errors: ['conflict'],
  async handler(context, { caller, params, body }) {
    const offer = await counterOffer(context, caller, params.id, body.amount_cents);
    return reply(200, await offerView(context, offer));
  },
});

/** `POST /offers/{id}/decline`: the buyer declines. */
const declineOfferRoute = partnerRoute({
  method: 'POST',
  path: '/v1/offers/:id/decline',
  operationId: 'declineOffer',
  summary: "Decline the owner's counteroffer.",
  scopes: SCOPES,
  limit: 'write',
  params: OfferParams,
  responses: { 200: OfferView },
  errors: ['conflict'],
  async handler(context, { caller, params }) {
    return reply(200, await offerView(context, await declineOffer(context, caller, params.id)));
  },
});

export const offerRoutes: readonly PartnerRoute[] = [
  createOfferRoute,
  listOffersRoute,
  getOfferRoute,
  acceptOfferRoute,
  counterOfferRoute,
  declineOfferRoute,
];

/** Returns an offer as its partner sees it, without the buyer, whom the partner knows. */
async function offerView({ tokens }: { tokens: SignedTokens }, offer: Offer) {
  const { price, quoteId, releasedAt } = offer;
  const quoteExpiresAt = releasedAt ? null : offer.quoteExpiresAt;
  const quote =
    price && quoteId && quoteExpiresAt
      ? await writeQuoteToken(
          tokens,
          { id: quoteId, price, expiresAt: quoteExpiresAt },
          offer.domain,
        )
      : null;
  return {
    id: offer.id,
    domain: offer.domain,
    status: offer.status,
    amount_cents: offer.amount.amount,
    counter_cents: offer.counter?.amount ?? null,
    price_cents: price?.amount ?? null,
    currency: offer.amount.currency,
    quote_id: quote,
    quote_expires_at: quoteExpiresAt?.toISOString() ?? null,
    environment: offer.environment,
    created_at: offer.createdAt.toISOString(),
    updated_at: offer.updatedAt.toISOString(),
    expires_at: offer.expiresAt.toISOString(),
  };
}
