import type { EppClient } from './epp-client.ts';
import { isWrongPassword, refusedOnly } from './epp-errors.ts';
import type { PollMessage } from './epp-objects.ts';
import { question } from './epp-send.ts';

/** The registry does not let its first message be taken off the queue, so nobody can read those behind it. */
export class EppQueueBlocked extends Error {
  readonly by: PollMessage;

  constructor(by: PollMessage, options?: ErrorOptions) {
    const name = by.id === '' ? 'a message without id' : by.id;
    super(`the registry's queue is blocked by ${name}`, options);
    this.name = 'EppQueueBlocked';
    this.by = by;
  }
}

/**
 * Empties the registry's queue. A message is taken off it only after `record` has committed it, so a process that
 * dies in between reads it again: `record` meets the same id a second time and changes nothing.
 * @param options.limit messages at most, so that a long queue does not hold its job for ever
 * @returns how many messages were taken off
 * @throws EppQueueBlocked
 */
export async function drainPollQueue(
  client: Pick<EppClient, 'firstMessage' | 'acknowledge'>,
  record: (message: PollMessage) => Promise<void>,
  { limit, signal }: { limit: number; signal: AbortSignal },
): Promise<number> {
  let taken = 0;
  let last: string | undefined;
  for (; taken < limit && !signal.aborted; taken += 1) {
    const message = await client.firstMessage(question(signal));
    if (!message) break;
    await record(message);
    if (message.id === '' || message.id === last) throw new EppQueueBlocked(message);
    await client.acknowledge(message.id, question(signal)).catch((error: unknown) => {
      // A login that is refused, on a fresh session, says nothing about the message.
      if (isWrongPassword(error)) throw error;
      throw new EppQueueBlocked(message, { cause: refusedOnly(error) });
    });
    last = message.id;
  }
  return taken;
}
