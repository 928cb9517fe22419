import { pause } from './attempt.ts';
import type { Client } from './client.ts';
import type { HistoryEvent } from './generated/types.ts';

export interface FollowOptions {
  /** The last event that was handled; defaults to the beginning of the history. */
  afterId?: string | undefined;
  /** How long to wait at the end of the history, in milliseconds. Defaults to 2,000. */
  intervalMs?: number;
  signal?: AbortSignal | undefined;
}

/** Yields every event of the history in order, then new events, until you leave the loop or abort the signal. */
export async function* followEvents(
  client: Pick<Client, 'events'>,
  { afterId, intervalMs = 2_000, signal }: FollowOptions = {},
): AsyncGenerator<HistoryEvent, never, undefined> {
  for (let last = afterId; ; ) {
    for await (const event of client.events.list.all({ after_id: last, limit: 100 }, { signal })) {
      yield event;
      last = event.id;
    }
    await pause(intervalMs, signal);
  }
}
