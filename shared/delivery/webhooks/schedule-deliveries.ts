import type { Tx } from '../../platform/database/postgres.ts';
import { newId } from '../../platform/ids.ts';
import { currentTraceparent } from '../../platform/observability/tracing.ts';
import { insertDeliveries } from './delivery.store.ts';
import type { EndpointOwner } from './endpoint.ts';

/**
 * Schedules a delivery of each event to each of the partner's active endpoints that takes its type. Returns the ids
 * of the deliveries made, for which the relay is to be woken.
 */
export async function scheduleDeliveries(
  tx: Tx,
  owner: EndpointOwner,
  eventIds: readonly string[],
  now: Date,
): Promise<string[]> {
  const ids = eventIds.map(() => newId('webhookDelivery', now));
  const traceParent = currentTraceparent();
  const inOrder = [...eventIds].sort();
  const [firstEvent = '', lastEvent = firstEvent] = [inOrder[0], inOrder.at(-1)];
  const made = await insertDeliveries.all(tx, {
    ...owner,
    ids,
    eventIds,
    firstEvent,
    lastEvent,
    now,
    traceParent,
  });
  return made.map((delivery) => delivery.id);
}
