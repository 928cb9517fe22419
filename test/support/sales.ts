import { randomUUID } from 'node:crypto';
import type { Caller } from '../../shared/people/partners/credential.ts';
import type { Order } from '../../shared/sales/orders/order.ts';
import { setRegistrant } from '../../shared/sales/orders/order-registrant.ts';
import { recordOrder, type SaleToRecord } from '../../shared/sales/orders/record-order.ts';
import type { QuoteOwner } from '../../shared/sales/quotes/quote.ts';
import { createQuote } from '../../shared/sales/quotes/quote-lifecycle.ts';
import type { TestApp } from './app.ts';
import { givenListing } from './factories.ts';
import type { HttpCall } from './http-call.ts';
import { KEPT_REGISTRANT, REGISTRANT } from './registrants.ts';
import type { Runtime } from './runtime.ts';
import type { SignedClient } from './signed-client.ts';

/** Returns the body of an order for a listing; tests pass only what they care about. */
export function orderBody(listing: { domain: string; priceCents: number }, more: object = {}) {
  return {
    domain: listing.domain,
    expected_price: listing.priceCents,
    currency: 'USD',
    buyer: { email: 'buyer@example.com', name: 'A. Buyer', country: 'DE' },
    registrant: REGISTRANT,
    ...more,
  };
}

/** Records an order over the API and returns the response. */
export function sell(
  client: SignedClient,
  listing: { domain: string; priceCents: number },
  options: { idempotencyKey?: string; more?: object } = {},
): HttpCall {
  return client.post('/v1/orders', {
    body: orderBody(listing, options.more),
    idempotencyKey: options.idempotencyKey ?? randomUUID(),
  });
}

/** Records an order as the API does after reading the request. */
export function recordSale(
  runtime: Runtime,
  seller: QuoteOwner & { commissionBps?: number },
  sale: Partial<SaleToRecord>,
): Promise<Order> {
  const caller = { keyId: 'test', commissionBps: 1_500, ...seller } as Caller;
  const complete: SaleToRecord = {
    domain: null,
    expectedPriceCents: null,
    currency: 'USD',
    buyer: { email: 'other@example.com', name: null, country: null },
    quote: null,
    externalPaymentRef: null,
    returnUrl: null,
    cancelUrl: null,
    registrant: KEPT_REGISTRANT,
    ...sale,
  };
  return runtime.db.transact((uow) => recordOrder(uow, runtime, caller, complete));
}

/** Sets the registrant of an order's domain, as its buyer does. */
export function nameRegistrant(runtime: Runtime, orderId: string): Promise<Order> {
  return runtime.db.transact((uow) => setRegistrant(uow, runtime, orderId, KEPT_REGISTRANT));
}

/** Creates a quote, and returns what an order sends of it. */
export async function givenQuote(runtime: Runtime, owner: QuoteOwner, domain: string) {
  const { token, id, price } = await createQuote(runtime, owner, domain);
  return { price, sent: { token, read: { id, domain } } };
}

/** Creates a partner with a recorded order for a new listing. */
export async function givenRecordedOrder(
  app: TestApp,
  options: Parameters<typeof givenListing>[1] = {},
) {
  const partner = await app.partner({ environment: options.environment ?? 'SANDBOX' });
  const listing = await givenListing(app.runtime, options);
  const { body } = await sell(partner.client, listing).expect(201);
  return { partner, listing, order: body };
}
