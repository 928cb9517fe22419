import { lockListing } from '../inventory/listing-sale.ts';
import type { Caller } from '../partners/credential.ts';
import { addMs } from '../platform/clock.ts';
import { conflict, fail } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Runtime } from '../runtime.ts';
import { insertSession } from './session.store.ts';
import type { CheckoutSession } from './session.ts';
import { writeLinkToken } from './session-link.ts';

export interface SessionInput {
  /** A-labels. */
  domain: string;
  returnUrl: string | null;
  cancelUrl: string | null;
  buyerEmail: string | null;
  clientReference: string | null;
}

/**
 * Creates a hosted payment page for a domain and the link to it. It holds nothing: the domain can be sold
 * until a buyer pays.
 * @throws not_found, conflict (domain_sold)
 */
export async function createSession(
  runtime: Pick<Runtime, 'db' | 'clock' | 'config' | 'tokens'>,
  caller: Caller,
  input: SessionInput,
): Promise<{ session: CheckoutSession; url: string }> {
  const { config } = runtime;
  const session = await runtime.db.transactFor(caller.partnerId, async (tx) => {
    const listing = await lockListing(tx, caller.environment, input.domain);
    if (!listing || listing.status === 'delisted') {
      throw fail('not_found', { message: `${input.domain} is not listed.` });
    }
    if (listing.status === 'sold') throw conflict('domain_sold', `${input.domain} has been sold.`);
    const now = runtime.clock.now();
    const created: CheckoutSession = {
      id: newId('checkoutSession', now),
      partnerId: caller.partnerId,
      environment: caller.environment,
      listingId: listing.id,
      domain: listing.domain,
      price: listing.price,
      commissionBps: caller.commissionBps,
      status: 'open',
      returnUrl: input.returnUrl,
      cancelUrl: input.cancelUrl,
      clientReference: input.clientReference,
      buyerEmail: input.buyerEmail,
      buyerName: null,
      buyerCountry: null,
      referralCode: null,
      lastDecline: null,
      orderId: null,
      createdAt: now,
      updatedAt: now,
      priceLockedUntil: addMs(now, config.checkoutPriceMs),
      expiresAt: addMs(now, config.checkoutSessionMs),
    };
    await insertSession(tx, created);
    return created;
  });
  const token = await writeLinkToken(runtime.tokens, session);
  return { session, url: `${config.baseUrl}/checkout/${session.id}?pt=${token}` };
}
