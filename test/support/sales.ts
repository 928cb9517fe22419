import { randomUUID } from 'node:crypto';
import type { TestApp } from './app.ts';
import { givenListing } from './factories.ts';
import type { ClientAnswer, SignedClient } from './signed-client.ts';

/** The body of an order for a listing; only what a test cares about is given. */
export function orderBody(listing: { domain: string; priceCents: number }, more: object = {}) {
  return {
    domain: listing.domain,
    expected_price: listing.priceCents,
    currency: 'USD',
    buyer: { email: 'buyer@example.com', name: 'A. Buyer', country: 'DE' },
    ...more,
  };
}

/** Records an order over the API and returns the answer. */
export function sell(
  client: SignedClient,
  listing: { domain: string; priceCents: number },
  options: { idempotencyKey?: string; more?: object; expect?: number } = {},
): Promise<ClientAnswer> {
  return client.post('/v1/orders', {
    body: orderBody(listing, options.more),
    idempotencyKey: options.idempotencyKey ?? randomUUID(),
    ...(options.expect !== undefined && { expect: options.expect }),
  });
}

/** A partner with a recorded order of a fresh listing. */
export async function givenRecordedOrder(
  app: TestApp,
  options: Parameters<typeof givenListing>[1] = {},
) {
  const partner = await app.partner({ environment: options.environment ?? 'SANDBOX' });
  const listing = await givenListing(app.runtime, options);
  const { body } = await sell(partner.client, listing, { expect: 201 });
  return { partner, listing, order: body };
}
