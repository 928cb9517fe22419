import type { Clock } from '../../platform/clock.ts';
import type { Pipeline } from '../../platform/database/pipeline.ts';
import type { Tx } from '../../platform/database/postgres.ts';
import { newId } from '../../platform/ids.ts';
import { type EventBody, type NewEvent, newEvent, type Stream } from '../event-types/event.ts';
import { faultOfEvent, type OnEventFault, refuseFaultyEvent } from '../event-types/event-schema.ts';
import type { Database } from '../unit-of-work/database.ts';
import { DEFAULT_ENDPOINT } from '../webhooks/endpoint.ts';
import { hostOfEndpoint, scheduleTo } from '../webhooks/requested-deliveries.ts';
import { scheduleDeliveries } from '../webhooks/schedule-deliveries.ts';
import { WEBHOOK_EVENTS } from '../webhooks/webhook.events.ts';
import { appendToStream, type EventRow, insertOutsideStream, lockStream } from './event.store.ts';

/**
 * Appends events to a partner's history and schedules their delivery. Locks the history until the transaction ends: the
 * unit of work calls it at its end, with what was added to `uow.events`. `onFault` is called for every event that its
 * schema refuses. `now` is in the partner's time, `realNow` by the machine's clock. `wake` is told who is to be woken
 * after the commit.
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

/** Locks a partner's history until the transaction ends. A unit of work does it by `uow.events.hold`. */
export async function holdStream(tx: Tx, { partnerId, environment }: Stream): Promise<void> {
  await lockStream.run(tx, { partnerId, environment });
}

/** Every delivery attempt signs and sends exactly these bytes. */
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

/** Limits pings per host, over all API processes. */
export interface PingSlots {
  /** @throws rate_limited */
  take(host: string): Promise<void>;
}

/**
 * Sends `webhook.ping`, which is no part of the history, to one endpoint, by its id or name, whatever types it takes;
 * returns the delivery's id. Pings to a host are limited whoever sends them, since anyone can register any host as an
 * endpoint.
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
    // Throws when there is no such endpoint, which rolls back the event: an event that nobody gets must not stay.
    return scheduleTo(uow, stream, { endpoint, eventId: row.id, resendOf: null });
  });
}
