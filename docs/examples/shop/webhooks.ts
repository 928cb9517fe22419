import { verifyWebhook, type WebhookEvent } from '@domain-marketplace/sdk';
import type { RequestHandler } from 'express';

/** How many event IDs we remember. The marketplace repeats an event for at most three days. */
const REMEMBERED = 10_000;

/**
 * Receives webhooks: accepts only signed ones, and handles each event once, however often it arrives. Needs the raw
 * body, since the signature covers the exact bytes: `express.raw({ type: 'application/json' })`.
 */
export function receiveWebhooks(
  secret: string,
  handle: (event: WebhookEvent) => Promise<void>,
  log: (fault: unknown) => void,
): RequestHandler {
  // In memory; with a database, use a table whose key is the event ID.
  const handled = new Map<string, Promise<void>>();

  /** Handles an event once, even if it arrives again while it is being handled. */
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
      // Forged, replayed, or without the raw JSON body. The response does not say which.
      log(`refused a webhook: ${error}`);
      response.sendStatus(401);
      return;
    }
    try {
      await once(event);
      response.sendStatus(200);
    } catch (error) {
      // Forget it and do not acknowledge it: the marketplace sends it again, at first within seconds.
      handled.delete(event.id);
      log(`will handle ${event.type} ${event.id} later: ${error}`);
      response.sendStatus(503);
    }
  };
}
