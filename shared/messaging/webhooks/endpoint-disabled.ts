import { type NewEvent, newEvent } from '../event-types/event.ts';
import type { DisabledReason, Endpoint } from './endpoint.ts';
import { WEBHOOK_EVENTS } from './webhook.events.ts';

/**
 * The event of an endpoint that was disabled by its failures: the command that disables it adds this to `uow.events`,
 * so that it is in the partner's history and goes to its other endpoints.
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
