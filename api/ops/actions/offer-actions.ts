import { Type } from 'typebox';
import { parseMarketDomain } from '../../../shared/market/names/domain-name.ts';
import type { Database } from '../../../shared/messaging/unit-of-work/database.ts';
import { withAuditTrail } from '../../../shared/people/audit/audit-log.ts';
import { OFFER_STATUSES, type Offer } from '../../../shared/sales/offers/offer.ts';
import {
  acceptOffer,
  counterOffer,
  declineOffer,
  getOfferForUpdate,
  setOfferFloor,
} from '../../../shared/sales/offers/offer-lifecycle.ts';
import { listOffers } from '../../../shared/sales/offers/read-offers.ts';
import {
  amountField,
  DANGEROUS,
  DEFAULT_LIMIT,
  EnvironmentField,
  EVERYONE,
  HARMLESS,
  limitField,
  OPERATIONS,
  type OpsContext,
  opsAction,
  route,
} from '../ops-action.ts';
import { DomainField } from './domain-actions.ts';

const OfferField = Type.String({ description: 'Offer ID (ofr_...).' });

const offerList = opsAction({
  name: 'offer:list',
  summary: 'List the offers waiting for the owner, or those with one status, newest first',
  columns: ['id', 'domain', 'amount', 'status'],
  input: Type.Object({
    status: Type.Optional(Type.Enum([...OFFER_STATUSES], { description: 'Defaults to OPEN.' })),
    limit: limitField(),
  }),
  async run(context, { status = 'OPEN', limit = DEFAULT_LIMIT }) {
    const { rows } = await listOffers(context, null, { status, before: null, limit });
    return { offers: rows.map(opsOfferView) };
  },
});

export const offerAccept = opsAction({
  name: 'offer:accept',
  summary: "Accept a buyer's offer for the owner",
  input: Type.Object({ offer: OfferField }),
  run: (context, { offer }) =>
    answer(context, 'offer:accept', offer, (db) => acceptOffer({ ...context, db }, null, offer)),
});

export const offerCounter = opsAction({
  name: 'offer:counter',
  summary: "Answer a buyer's offer with the owner's price",
  input: Type.Object({
    offer: OfferField,
    amount_cents: amountField("The owner's price"),
  }),
  run: (context, { offer, amount_cents }) =>
    answer(context, 'offer:counter', offer, (db) =>
      counterOffer({ ...context, db }, null, offer, amount_cents),
    ),
});

export const offerDecline = opsAction({
  name: 'offer:decline',
  summary: "Decline a buyer's offer for the owner",
  input: Type.Object({ offer: OfferField }),
  run: (context, { offer }) =>
    answer(context, 'offer:decline', offer, (db) => declineOffer({ db }, null, offer)),
});

export const listingOfferFloor = opsAction({
  name: 'listing:offer-floor',
  summary: 'Set the secret floor from which offers on a listing are accepted automatically',
  input: Type.Object({
    environment: EnvironmentField,
    domain: DomainField,
    floor_cents: Type.Optional(
      amountField('The floor', 'If omitted, no offer is accepted automatically.'),
    ),
  }),
  async run(context, { environment, domain, floor_cents }) {
    const { ascii } = parseMarketDomain(domain);
    const set = floor_cents !== undefined;
    const db = withAuditTrail(context, {
      actor: context.actor,
      action: 'listing:offer-floor',
      subject: `${environment}:${ascii}`,
      snapshot: async () => ({ set }),
    });
    const listing = { environment, domain: ascii };
    await db.transact((uow) => setOfferFloor(uow, listing, floor_cents ?? null));
    return { domain: ascii, environment, accepts_at_once: set };
  },
});

async function answer(
  context: OpsContext,
  action: string,
  subject: string,
  work: (db: Database) => Promise<Offer>,
) {
  const db = withAuditTrail(context, {
    actor: context.actor,
    action,
    subject,
    snapshot: async (uow) => {
      const { status, amount, counter } = await getOfferForUpdate(uow, subject);
      return { status, amount_cents: amount.amount, counter_cents: counter?.amount ?? null };
    },
  });
  return opsOfferView(await work(db));
}

function opsOfferView(offer: Offer) {
  return {
    id: offer.id,
    domain: offer.domain,
    environment: offer.environment,
    status: offer.status,
    amount_cents: offer.amount.amount,
    counter_cents: offer.counter?.amount ?? null,
    price_cents: offer.price?.amount ?? null,
    currency: offer.amount.currency,
    buyer_email: offer.buyerEmail,
    partner_id: offer.partnerId,
    expires_at: offer.expiresAt.toISOString(),
  };
}

export const offerRoutes = [
  route('GET', '/offers', 200, offerList, EVERYONE, HARMLESS),
  route('POST', '/offers/:offer/accept', 200, offerAccept, OPERATIONS, DANGEROUS),
  route('POST', '/offers/:offer/counter', 200, offerCounter, OPERATIONS, DANGEROUS),
  route('POST', '/offers/:offer/decline', 200, offerDecline, OPERATIONS, HARMLESS),
  route(
    'POST',
    '/listings/:environment/:domain/offer-floor',
    200,
    listingOfferFloor,
    OPERATIONS,
    DANGEROUS,
  ),
];
