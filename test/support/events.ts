import type { NewEvent } from '../../shared/delivery/event-types/event.ts';
import { Money } from '../../shared/platform/money.ts';
import { orderEvent } from '../../shared/sales/orders/order.events.ts';

/** An event about an order that is made up but for its id. */
export function recordedOrder(id: string): NewEvent {
  return orderEvent('order.recorded', {
    id,
    domain: 'neonwallet.com',
    status: 'EXTERNALLY_PAID',
    price: new Money(485_000, 'USD'),
  });
}
