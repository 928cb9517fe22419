import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import { noActiveEndpoint } from '../webhooks/resend-delivery.ts';
import type { Stream } from './event.ts';
import { recordPing } from './record-events.ts';

/** Sends `webhook.ping` to the endpoint; returns the delivery's id. @throws conflict (endpoint_disabled) */
export async function sendPing(
  { db, clock }: { db: Database; clock: Clock },
  stream: Stream,
): Promise<string> {
  const { partnerId, environment } = stream;
  return db.transactFor(partnerId, async (tx) => {
    const delivery = await recordPing(tx, { partnerId, environment }, clock.now());
    // The transaction goes with it: an event that nobody gets must not stay.
    if (delivery === undefined) throw noActiveEndpoint();
    return delivery;
  });
}
