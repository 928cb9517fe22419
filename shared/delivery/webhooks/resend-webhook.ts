import type { Clock } from '../../platform/clock.ts';
import { conflict, fail } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Database } from '../unit-of-work/database.ts';
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts';
import { insertResend, selectDeliveryEvent, selectEventDelivery } from './delivery.store.ts';
import type { EndpointOwner } from './endpoint.ts';

/**
 * Sends the event of a delivery again, as a new delivery with a schedule of its own; returns its id.
 * @throws not_found, conflict (endpoint_disabled)
 */
export async function resendDelivery(
  { db }: { db: Database; clock: Clock },
  owner: EndpointOwner,
  deliveryId: string,
): Promise<string> {
  return db.transactFor(owner.partnerId, async (uow) => {
    const found = await selectDeliveryEvent.first(uow.sql, { ...owner, id: deliveryId });
    if (!found) {
      throw fail('not_found', { message: 'There is no delivery with this id.' });
    }
    return scheduleResend(uow, owner, { eventId: found.eventId, resendOf: deliveryId });
  });
}

/** A new delivery of an event that was sent before. @throws conflict (endpoint_disabled) */
export async function scheduleResend(
  uow: UnitOfWork,
  owner: EndpointOwner,
  source: { eventId: string; resendOf: string | null },
): Promise<string> {
  const id = newId('webhookDelivery', uow.now);
  const written = await insertResend.run(uow.sql, { ...owner, ...source, id, now: uow.now });
  if (written === 0) throw noActiveEndpoint();
  uow.wakeRelay();
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
  { db }: { db: Database; clock: Clock },
  owner: EndpointOwner,
  eventId: string,
): Promise<string> {
  return db.transactFor(owner.partnerId, async (uow) => {
    const found = await selectEventDelivery.first(uow.sql, { ...owner, eventId });
    if (!found) throw fail('not_found', { message: 'There is no event with this id.' });
    const source = { eventId, resendOf: found.deliveryId };
    return scheduleResend(uow, owner, source);
  });
}
