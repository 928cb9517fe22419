import type { Markup } from '../../../shared/platform/html.ts';
import type { DeliverySummary } from '../../../shared/sales/orders/read-orders.ts';
import {
  nextStepOf,
  type ShownDeliveryStatus,
} from '../../../shared/sales/transfers/domain-delivery.ts';
import { humanize, timestamp } from './format.ts';
import { descriptionList, section } from './page-parts.ts';
import type { PageNow } from './page-time.ts';
import { statusBadge } from './status-badge.ts';

/** How the domain of an order reaches its buyer, where that stands and whose turn it is, as its own section. */
export function orderDelivery(delivery: DeliverySummary, now: PageNow): Markup {
  const { method, status, since, expiresAt, requestedBy } = delivery;
  return section(
    'Delivery',
    descriptionList([
      ['Way', method === 'account' ? 'Into an account of the buyer' : 'To the partner’s registrar'],
      ['Status', status && statusBadge(status as ShownDeliveryStatus)],
      ['Since', since && timestamp(since, now)],
      ['Next step', nextStepOf(delivery)],
      ['Ends', expiresAt && timestamp(expiresAt, now)],
      ['Asked for by', requestedBy && humanize(requestedBy)],
    ]),
  );
}
