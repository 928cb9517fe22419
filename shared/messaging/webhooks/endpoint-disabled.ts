import { type NewEvent, newEvent } from '../event-types/event.ts';
import type { DisabledReason, Endpoint } from './endpoint.ts';
import { WEBHOOK_EVENTS } from './webhook.events.ts';

/**
 * Builds the event for an endpoint disabled because of its failures. The command that disables the endpoint adds the
 * event to `uow.events`, so that it enters the partner's history and goes to the partner's other endpoints.
 */
export function endpointDisabled(
  { id, name, url }: Pick<Endpoint, 'id' | 'name' | 'url'>,
  reason: Extract<DisabledReason, 'gone' | 'failing'>,
  disabledAt: Date,
): NewEvent {
  return newEvent(WEBHOOK_EVENTS['webhook.endpoint_disabled'], id, {
    endpoint: { id, name, url, disabled_reason: reason, disabled_at: disabledAt.toISOString() },
  });
}
