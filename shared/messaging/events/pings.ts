import { type Clock, daysAgo } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { idRangeAt } from '../../platform/ids.ts';
import { newEvent, type Stream } from '../event-types/event.ts';
import { refuseFaultyEvent } from '../event-types/event-schema.ts';
import type { Database } from '../unit-of-work/database.ts';
import { DEFAULT_ENDPOINT } from '../webhooks/endpoint.ts';
import { hostOfEndpoint, scheduleTo } from '../webhooks/requested-deliveries.ts';
import { WEBHOOK_EVENTS } from '../webhooks/webhook.events.ts';
import { deletePings, insertOutsideStream } from './event.store.ts';
import { eventRow } from './record-events.ts';

/** Limits pings per host, across all API processes. */
export interface PingSlots {
  /** @throws rate_limited */
  take(host: string): Promise<void>;
}

/**
 * Sends `webhook.ping`, which is not part of the history, to one endpoint, by id or name, whatever event types it
 * accepts. Returns the delivery's id. Pings are limited per host across all senders, since anyone can register any
 * host as an endpoint.
 * @throws conflict (endpoint_disabled), rate_limited
 */
export async function sendPing(
  { db, pingSlots }: { db: Database; clock: Clock; pingSlots: PingSlots },
  stream: Stream,
  endpoint = DEFAULT_ENDPOINT,
): Promise<string> {
  const { partnerId, environment } = stream;
  const host = await hostOfEndpoint({ db }, stream, endpoint);
  if (host !== undefined) await pingSlots.take(host);
  return db.transactFor(partnerId, async (uow) => {
    const ping = newEvent(WEBHOOK_EVENTS['webhook.ping'], partnerId, {});
    const row = eventRow(stream, ping, uow.now, refuseFaultyEvent);
    await insertOutsideStream.send(uow.pipeline, {
      partnerId,
      environment,
      ...row,
      createdAt: uow.now,
    });
    // Throws if there is no such endpoint, which also rolls back the event.
    return scheduleTo(uow, stream, { endpoint, eventId: row.id, resendOf: null });
  });
}

/** Deletes up to `limit` pings that are older than DELIVERY_KEEP_DAYS and have no delivery left; returns how many. */
export function prunePings(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  limit: number,
): Promise<number> {
  const { first } = idRangeAt('event', daysAgo(clock, config.deliveryKeepDays));
  return deletePings.run(db.knex, { before: first, limit });
}
