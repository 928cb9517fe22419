import type { HistoryEvent, OrderInEvent, WebhookEvent } from './generated/types.ts';

/** Returns the order in an `order.*` or `transfer.*` event; undefined for other events. */
export function orderIn({ data }: WebhookEvent | HistoryEvent): OrderInEvent | undefined {
  return 'order' in data ? (data.order as OrderInEvent) : undefined;
}
