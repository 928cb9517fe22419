import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database/postgres.ts';
import { newId } from '../../platform/ids.ts';
import type { Database } from '../unit-of-work/database.ts';
import { DEFAULT_ENDPOINT } from '../webhooks/endpoint.ts';
import { scheduleTo } from '../webhooks/resend-webhook.ts';
import { scheduleDeliveries } from '../webhooks/schedule-deliveries.ts';
import { appendToStream, type EventRow, insertOutsideStream } from './event.store.ts';
import type { EventBody, NewEvent, Stream } from './event.ts';

/**
 * Appends events to a partner's history and schedules their delivery. Locks the history until the transaction
 * ends: a unit of work writes what was added to `uow.events` by it, at its end.
 */
export async function recordEvents(
  tx: Tx,
  stream: Stream,
  events: readonly NewEvent[],
  now: Date,
): Promise<{ deliveries: number }> {
  const rows = events.map((event) => toRow(stream, event, now));
  const ids = rows.map((row) => row.id);
  await appendToStream(tx, stream, rows, now);
  const scheduled = await scheduleDeliveries(tx, stream, ids, now);
  return { deliveries: scheduled.length };
}

/** The bytes made here are the ones that every attempt signs and sends. */
function toRow(stream: Stream, event: NewEvent, now: Date): EventRow {
  const body: EventBody = {
    id: newId('event', now),
    type: event.type,
    created_at: now.toISOString(),
    partner_id: stream.partnerId,
    data: event.data,
  };
  return { id: body.id, type: event.type, subject: event.subject, body: JSON.stringify(body) };
}

/**
 * Sends `webhook.ping`, which is no part of the history, to one endpoint, by its id or name, whatever types it
 * takes; returns the delivery's id. @throws conflict (endpoint_disabled)
 */
export async function sendPing(
  { db }: { db: Database; clock: Clock },
  stream: Stream,
  endpoint = DEFAULT_ENDPOINT,
): Promise<string> {
  const { partnerId, environment } = stream;
  return db.transactFor(partnerId, async (uow) => {
    const row = toRow(stream, { type: 'webhook.ping', subject: partnerId, data: {} }, uow.now);
    await insertOutsideStream.run(uow.sql, { partnerId, environment, ...row, createdAt: uow.now });
    // The transaction goes with it when there is no such endpoint: an event that nobody gets must not stay.
    return scheduleTo(uow, stream, { endpoint, eventId: row.id, resendOf: null });
  });
}
