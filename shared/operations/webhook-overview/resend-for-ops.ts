import type { Database } from '../../delivery/unit-of-work/database.ts';
import { resendDelivery, resendEvent } from '../../delivery/webhooks/resend-webhook.ts';
import { withAuditTrail } from '../../people/audit/audit-log.ts';
import type { Clock } from '../../platform/clock.ts';
import { fail, invalid } from '../../platform/errors.ts';
import { selectDeliveryOwner, selectEventOwner } from './webhook-overview.store.ts';

/** What is to be sent again: exactly one of the two. */
export interface ResendRequest {
  deliveryId?: string | undefined;
  eventId?: string | undefined;
}

/**
 * Sends a delivery or an event of any partner again; returns the ids of the new deliveries.
 * @throws validation_error (none or both), not_found, conflict (endpoint_disabled)
 */
export async function resendForOps(
  { db, clock }: { db: Database; clock: Clock },
  actor: string,
  { deliveryId, eventId }: ResendRequest,
): Promise<string[]> {
  const subject = deliveryId ?? eventId;
  if (subject === undefined || (deliveryId !== undefined && eventId !== undefined)) {
    throw invalid([{ path: '/delivery', message: 'or event is required, and not both' }]);
  }
  const owner =
    deliveryId === undefined
      ? await selectEventOwner.first(db.knex, { id: subject })
      : await selectDeliveryOwner.first(db.knex, { id: subject });
  if (!owner) throw fail('not_found', { message: `There is nothing to send under ${subject}.` });
  const recorded = withAuditTrail(
    { db, clock },
    { actor, action: 'webhook:resend', subject, snapshot: async () => null },
  );
  const runtime = { db: recorded, clock };
  if (deliveryId !== undefined) return [await resendDelivery(runtime, owner, deliveryId)];
  return resendEvent(runtime, owner, subject);
}
