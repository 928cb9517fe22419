import { type EppClient, question } from './epp-client.ts';
import type { PollMessage } from './epp-objects.ts';

/**
 * Empties the registry's queue. A message is taken off it only after `record` has committed it, so a process that
 * dies in between reads it again: `record` meets the same id a second time and changes nothing.
 * @param options.limit messages at most, so that a long queue does not hold its job for ever
 * @returns how many messages were taken off
 */
export async function drainPollQueue(
  client: Pick<EppClient, 'firstMessage' | 'acknowledge'>,
  record: (message: PollMessage) => Promise<void>,
  { limit, signal }: { limit: number; signal: AbortSignal },
): Promise<number> {
  let taken = 0;
  for (; taken < limit && !signal.aborted; taken += 1) {
    const message = await client.firstMessage(question(signal));
    if (!message) break;
    await record(message);
    await client.acknowledge(message.id, question(signal));
  }
  return taken;
}
