import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import { fail } from '../platform/errors.ts';
import { findEventDelivery } from './delivery.store.ts';
import type { EndpointOwner } from './endpoint.ts';
import { scheduleResend } from './resend-delivery.ts';

/**
 * Sends an event of the history to the present endpoint, also one that was recorded before there was
 * any; returns the delivery's id.
 * @throws not_found, conflict (endpoint_disabled)
 */
export async function resendEvent(
  { db, clock }: { db: Database; clock: Clock },
  owner: EndpointOwner,
  eventId: string,
): Promise<string> {
  return db.transactFor(owner.partnerId, async (tx) => {
    const found = await findEventDelivery(tx, owner, eventId);
    if (!found) throw fail('not_found', { message: 'There is no event with this id.' });
    const source = { eventId, resendOf: found.deliveryId };
    return scheduleResend(tx, owner, source, clock.now());
  });
}
