import type { HistoryEvent, OrderInEvent, WebhookEvent } from './generated/types.ts';

/** The order that an `order.*` or `transfer.*` event tells of; undefined for every other event. */
export function orderIn({ data }: WebhookEvent | HistoryEvent): OrderInEvent | undefined {
  return 'order' in data ? (data.order as OrderInEvent) : undefined;
}
