import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';
import { noActiveEndpoint } from '../webhooks/resend-webhook.ts';
import { scheduleDeliveries } from '../webhooks/schedule-deliveries.ts';
import { appendToStream, type EventRow, insertOutsideStream } from './event.store.ts';
import type { EventBody, NewEvent, Stream } from './event.ts';

/**
 * Appends events to a partner's history and schedules their delivery, in the caller's transaction.
 * Takes the stream's lock: call it last, and for several partners in the order of their ids.
 */
export async function recordEvents(
  tx: Tx,
  stream: Stream,
  events: readonly NewEvent[],
  now: Date,
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event) => toRow(stream, event, now));
  await appendToStream(tx, stream, rows, now);
  await scheduleDeliveries(
    tx,
    stream,
    rows.map((row) => row.id),
    now,
  );
}

/** An event that goes to the endpoint but not into the history (`webhook.ping`); returns the delivery's id. */
export async function recordPing(tx: Tx, stream: Stream, now: Date): Promise<string | undefined> {
  const row = toRow(stream, { type: 'webhook.ping', subject: stream.partnerId, data: {} }, now);
  await insertOutsideStream(tx, stream, row, now);
  const [delivery] = await scheduleDeliveries(tx, stream, [row.id], now);
  return delivery;
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
