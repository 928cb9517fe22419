import { verifyWebhook, type WebhookEvent } from '@domain-marketplace/sdk';
import type { RequestHandler } from 'express';

/** How many ids are remembered. The marketplace repeats an event for three days at most. */
const REMEMBERED = 10_000;

/**
 * Receives webhooks: believes only what is signed, and handles each event once, however often it comes.
 * Needs the raw body, since the signature is of its very bytes: `express.raw({ type: 'application/json' })`.
 */
export function receiveWebhooks(
  secret: string,
  handle: (event: WebhookEvent) => Promise<void>,
  log: (fault: unknown) => void,
): RequestHandler {
  // In memory; a shop with a database has a table whose key is the event's id.
  const handled = new Map<string, Promise<void>>();

  /** The same event once more, even while the first is being handled, is the same work. */
  const once = (event: WebhookEvent): Promise<void> => {
    const known = handled.get(event.id);
    if (known) return known;
    const work = handle(event);
    handled.set(event.id, work);
    const [oldest = ''] = handled.keys();
    if (handled.size > REMEMBERED) handled.delete(oldest);
    return work;
  };

  return async (request, response) => {
    let event: WebhookEvent;
    try {
      event = verifyWebhook({ body: request.body, headers: request.headers, secret });
    } catch (error) {
      // Nobody's, a replay, or one without the raw JSON body. It is not told which.
      log(`refused a webhook: ${error}`);
      response.sendStatus(401);
      return;
    }
    try {
      await once(event);
      response.sendStatus(200);
    } catch (error) {
      // Forgotten, and not acknowledged: the marketplace sends it again, seconds later at first.
      handled.delete(event.id);
      log(`will handle ${event.type} ${event.id} later: ${error}`);
      response.sendStatus(503);
    }
  };
}
