import type { EppClient } from './epp-client.ts';
import { isWrongPassword, refusedOnly } from './epp-errors.ts';
import type { PollMessage } from './epp-objects.ts';
import { question } from './epp-send.ts';

/** The registry refuses to dequeue its first message, so the messages behind it cannot be read. */
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
 * Drains the registry's queue. A message is acknowledged only after `record` has committed it, so a process that
 * dies in between reads it again: `record` must then recognize the ID and change nothing.
 * @param options.limit the maximum number of messages, so that a long queue does not occupy its job forever
 * @returns how many messages were acknowledged
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
      // A refused login on a new session says nothing about the message.
      if (isWrongPassword(error)) throw error;
      throw new EppQueueBlocked(message, { cause: refusedOnly(error) });
    });
    last = message.id;
  }
  return taken;
}
