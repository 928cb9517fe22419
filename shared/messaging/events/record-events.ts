import type { Pipeline } from '../../platform/database/pipeline.ts';
import type { Tx } from '../../platform/database/postgres.ts';
import { newId } from '../../platform/ids.ts';
import type { EventBody, NewEvent, Stream } from '../event-types/event.ts';
import { faultOfEvent, type OnEventFault, refuseFaultyEvent } from '../event-types/event-schema.ts';
import { scheduleDeliveries } from '../webhooks/schedule-deliveries.ts';
import { appendToStream, type EventRow, lockStream } from './event.store.ts';

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
  const rows = events.map((event) => eventRow(stream, event, now, onFault));
  await appendToStream(pipeline, stream, rows, now);
  await scheduleDeliveries(pipeline, stream, rows, realNow, wake);
}

/** Locks a partner's history until the transaction ends. Units of work call it through `uow.events.hold`. */
export async function holdStream(tx: Tx, { partnerId, environment }: Stream): Promise<void> {
  await lockStream.run(tx, { partnerId, environment });
}

/** Returns an event's row. Every delivery attempt signs and sends exactly the bytes of its body. */
export function eventRow(
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
