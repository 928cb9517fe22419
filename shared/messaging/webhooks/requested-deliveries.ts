import type { Clock } from '../../platform/clock.ts';
import { conflict, fail } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Database } from '../unit-of-work/database.ts';
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts';
import {
  insertDelivery,
  insertResends,
  selectDeliveryEvent,
  selectEventExists,
} from './delivery.store.ts';
import { selectEndpointUrl } from './endpoint.store.ts';
import type { EndpointOwner } from './endpoint.ts';
import { scheduleInStream } from './schedule-deliveries.ts';

/**
 * Sends the event of a delivery again, as a new delivery with its own schedule, to the endpoint that now has the name
 * of the original endpoint. Returns the new delivery's id.
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
      throw fail('not_found', { message: 'There is no delivery with this ID.' });
    }
    const { eventId, endpointId } = found;
    if (endpointId === null) throw noActiveEndpoint();
    return scheduleTo(uow, owner, { endpoint: endpointId, eventId, resendOf: deliveryId });
  });
}

/** Returns the host of an endpoint, by its id or name; undefined if there is none. */
export async function hostOfEndpoint(
  { db }: { db: Database },
  { partnerId, environment }: EndpointOwner,
  endpoint: string,
): Promise<string | undefined> {
  const found = await selectEndpointUrl.first(db.knex, { partnerId, environment, endpoint });
  return found && new URL(found.url).hostname;
}

/** Schedules an event for one endpoint, by id or name; returns the id. @throws conflict (endpoint_disabled) */
export async function scheduleTo(
  uow: UnitOfWork,
  { partnerId, environment }: EndpointOwner,
  delivery: { endpoint: string; eventId: string; resendOf: string | null },
): Promise<string> {
  const id = newId('webhookDelivery', uow.realNow);
  const row = { ...delivery, id, partnerId, environment, now: uow.realNow };
  const ids = await scheduleInStream(uow, row, (traceParent) =>
    insertDelivery.all(uow.sql, { ...row, traceParent }),
  );
  if (ids.length === 0) throw noActiveEndpoint();
  return id;
}

/** Builds the conflict for an event that has no active endpoint to go to. */
export function noActiveEndpoint() {
  return conflict(
    'endpoint_disabled',
    'No active webhook endpoint in this environment receives it. Register one with PUT /webhooks, or activate it.',
  );
}

/**
 * Sends an event of the history to every endpoint that accepts its type, even if the event is older than the endpoint.
 * Returns the ids of the deliveries, at least one.
 * @throws not_found, conflict (endpoint_disabled)
 */
export async function resendEvent(
  { db }: { db: Database; clock: Clock },
  { partnerId, environment }: EndpointOwner,
  eventId: string,
): Promise<string[]> {
  return db.transactFor(partnerId, async (uow) => {
    const event = { partnerId, environment, eventId };
    const { exists } = await selectEventExists.one(uow.sql, event);
    if (!exists) throw fail('not_found', { message: 'There is no event with this ID.' });
    const row = { ...event, id: newId('webhookDelivery', uow.realNow), now: uow.realNow };
    const ids = await scheduleInStream(uow, row, (traceParent) =>
      insertResends.all(uow.sql, { ...row, traceParent }),
    );
    if (ids.length === 0) throw noActiveEndpoint();
    return ids;
  });
}
