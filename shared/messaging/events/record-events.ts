import { type Clock, daysAgo } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Pipeline } from '../../platform/database/pipeline.ts';
import type { Tx } from '../../platform/database/postgres.ts';
import { idRangeAt, newId } from '../../platform/ids.ts';
import { type EventBody, type NewEvent, newEvent, type Stream } from '../event-types/event.ts';
import { faultOfEvent, type OnEventFault, refuseFaultyEvent } from '../event-types/event-schema.ts';
import type { Database } from '../unit-of-work/database.ts';
import { DEFAULT_ENDPOINT } from '../webhooks/endpoint.ts';
import { hostOfEndpoint, scheduleTo } from '../webhooks/requested-deliveries.ts';
import { scheduleDeliveries } from '../webhooks/schedule-deliveries.ts';
import { WEBHOOK_EVENTS } from '../webhooks/webhook.events.ts';
import {
  appendToStream,
  deletePings,
  type EventRow,
  insertOutsideStream,
  lockStream,
} from './event.store.ts';

/**
 * Appends events to a partner's history and schedules their deliveries. Locks the history until the transaction ends,
 * so the unit of work calls it last, with the events added to `uow.events`. Calls `onFault` for every event that
 * violates its schema. `now` is the partner's time, `realNow` the machine's. Calls `wake` with the topics to wake after
 * the commit.
 */
export async function recordEvents(
  pipeline: Pipeline,
  stream: Stream,
  events: readonly NewEvent[],
  { now, realNow = now }: { now: Date; realNow?: Date },
  wake: (topics: Iterable<string>) => void = () => {},
  onFault: OnEventFault = refuseFaultyEvent,
): Promise<void> {
  const rows = events.map((event) => toRow(stream, event, now, onFault));
  await appendToStream(pipeline, stream, rows, now);
  await scheduleDeliveries(pipeline, stream, rows, realNow, wake);
}

/** Locks a partner's history until the transaction ends. Units of work call it through `uow.events.hold`. */
export async function holdStream(tx: Tx, { partnerId, environment }: Stream): Promise<void> {
  await lockStream.run(tx, { partnerId, environment });
}

/** Returns the event's row. Every delivery attempt signs and sends exactly the bytes of its body. */
function toRow(
  stream: Stream,
  { definition, subject, data }: NewEvent,
  now: Date,
  onFault: OnEventFault,
): EventRow {
  const { type } = definition;
  const id = newId('event', now);
  const created_at = now.toISOString();
  const body: EventBody = { id, type, created_at, partner_id: stream.partnerId, data };
  const fault = faultOfEvent(definition, body);
  if (fault !== undefined) onFault({ id, type, fault });
  return { id, type, subject, body: JSON.stringify(body) };
}

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
    const row = toRow(stream, ping, uow.now, refuseFaultyEvent);
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
