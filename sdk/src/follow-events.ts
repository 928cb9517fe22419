import { pause } from './attempt.ts';
import type { Client } from './client.ts';
import type { HistoryEvent } from './generated/types.ts';

export interface FollowOptions {
  /** The last event that was handled; from the first of the history when left out. */
  afterId?: string | undefined;
  /** How long to wait where the history ends, in milliseconds; 2,000 unless said. */
  intervalMs?: number;
  signal?: AbortSignal | undefined;
}

/** Every event of the history in its order, and then those to come, until the loop or the signal ends it. */
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
