import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database/postgres.ts';
import { newId } from '../../platform/ids.ts';
import type { Database } from '../unit-of-work/database.ts';
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts';
import { noActiveEndpoint } from '../webhooks/resend-webhook.ts';
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

/** An event that goes to the endpoint but not into the history (`webhook.ping`); returns the delivery's id. */
export async function recordPing(uow: UnitOfWork, stream: Stream): Promise<string | undefined> {
  const row = toRow(stream, { type: 'webhook.ping', subject: stream.partnerId, data: {} }, uow.now);
  await insertOutsideStream.run(uow.sql, { ...stream, ...row, createdAt: uow.now });
  const [delivery] = await scheduleDeliveries(uow.sql, stream, [row.id], uow.now);
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
  { db }: { db: Database; clock: Clock },
  stream: Stream,
): Promise<string> {
  const { partnerId, environment } = stream;
  return db.transactFor(partnerId, async (uow) => {
    const delivery = await recordPing(uow, { partnerId, environment });
    // The transaction goes with it: an event that nobody gets must not stay.
    if (delivery === undefined) throw noActiveEndpoint();
    return delivery;
  });
}
