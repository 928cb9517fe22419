import type { Clock } from '../../platform/clock.ts';
import { type Database, type Tx, wakeAfterCommit } from '../../platform/database/database.ts';
import { conflict, fail } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { findDeliveryEvent, findEventDelivery, insertResend } from './delivery.store.ts';
import type { EndpointOwner } from './endpoint.ts';

/**
 * Sends the event of a delivery again, as a new delivery with a schedule of its own; returns its id.
 * @throws not_found, conflict (endpoint_disabled)
 */
export async function resendDelivery(
  { db, clock }: { db: Database; clock: Clock },
  owner: EndpointOwner,
  deliveryId: string,
): Promise<string> {
  return db.transactFor(owner.partnerId, async (tx) => {
    const eventId = await findDeliveryEvent(tx, owner, deliveryId);
    if (eventId === undefined) {
      throw fail('not_found', { message: 'There is no delivery with this id.' });
    }
    return scheduleResend(tx, owner, { eventId, resendOf: deliveryId }, clock.now());
  });
}

/** A new delivery of an event that was sent before. @throws conflict (endpoint_disabled) */
export async function scheduleResend(
  tx: Tx,
  owner: EndpointOwner,
  source: { eventId: string; resendOf: string | null },
  now: Date,
): Promise<string> {
  const id = newId('webhookDelivery', now);
  if (!(await insertResend(tx, owner, { id, ...source, now }))) throw noActiveEndpoint();
  wakeAfterCommit(tx);
  return id;
}

/** The answer where something should be sent and nobody is there to get it. */
export function noActiveEndpoint() {
  return conflict(
    'endpoint_disabled',
    'There is no active webhook endpoint in this environment. Register it again with PUT /webhooks.',
  );
}

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
