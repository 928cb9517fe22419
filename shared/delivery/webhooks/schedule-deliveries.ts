import { type Tx, wakeAfterCommit } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';
import { currentTraceparent } from '../../platform/observability/tracing.ts';
import { insertDeliveries } from './delivery.store.ts';

/**
 * Schedules one delivery an event to the partner's active endpoint, if there is one, in the caller's
 * transaction. Returns the ids of the deliveries made (none without an endpoint).
 */
export async function scheduleDeliveries(
  tx: Tx,
  owner: { partnerId: string; environment: string },
  eventIds: readonly string[],
  now: Date,
): Promise<string[]> {
  const ids = eventIds.map(() => newId('webhookDelivery', now));
  const traceParent = currentTraceparent();
  const scheduled = await insertDeliveries(tx, owner, { ids, eventIds, now, traceParent });
  if (scheduled.length > 0) wakeAfterCommit(tx);
  return scheduled;
}
