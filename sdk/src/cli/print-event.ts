import type { HistoryEvent, WebhookEvent } from '../generated/types.ts';
import { orderIn } from '../order-in.ts';

/** Formats an event as one readable line. */
export function describeEvent(event: WebhookEvent | HistoryEvent): string {
  return [event.created_at, event.type.padEnd(28), event.id, ...factsOf(event)]
    .join('  ')
    .trimEnd();
}

function factsOf(event: WebhookEvent | HistoryEvent): string[] {
  const { data } = event;
  if ('case' in data) {
    const { case_id, domain, status } = data.case as Record<string, unknown>;
    return [case_id, domain, status].map(String);
  }
  const order = orderIn(event);
  if (!order) return [];
  const transfer = 'transfer' in data ? (data.transfer as Record<string, unknown>) : undefined;
  return [
    order.public_id,
    order.domain,
    order.status,
    ...(transfer ? [`transfer ${transfer.status}`, transfer.reason ?? ''] : []),
  ].map(String);
}
