import type { DomainRegistrant } from '../../../shared/domains/domain-registrants/domain-registrant.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import type { DeliverySummary } from '../../../shared/sales/orders/read-orders.ts';
import type {
  DeliveryReader,
  DeliveryStep,
} from '../../../shared/sales/transfers/delivery-steps.ts';
import type { ShownDeliveryStatus } from '../../../shared/sales/transfers/domain-delivery.ts';
import { deliveryStepList } from './delivery-step-list.ts';
import { formatDay, humanize, timestamp } from './format.ts';
import { badge, descriptionList, section } from './page-parts.ts';
import type { PageNow } from './page-time.ts';
import { statusBadge } from './status-badge.ts';

/** Shows how the domain of an order reaches its buyer, the status, and whose turn it is, as its own section. */
export function orderDelivery(
  {
    delivery,
    steps,
    reader,
    registrant,
    extra,
  }: {
    delivery: DeliverySummary;
    steps: readonly DeliveryStep[];
    reader: DeliveryReader;
    registrant?: Parameters<typeof verificationBadge>[0] | null;
    /** Returns what is shown below a step. */
    extra?: (step: DeliveryStep) => Markup | false;
  },
  now: PageNow,
): Markup {
  const { method, status, since, expiresAt, requestedBy } = delivery;
  return section(
    'Delivery',
    html`${deliveryStepList(steps, now, reader, extra)}
${descriptionList([
  [
    'Delivered to',
    method === 'account' ? 'The buyer’s account with us' : 'The partner’s registrar',
  ],
  ['Status', status && statusBadge(status as ShownDeliveryStatus)],
  ['Since', since && timestamp(since, now)],
  ['Ends', expiresAt && timestamp(expiresAt, now)],
  ['Registrant’s email address', registrant && verificationBadge(registrant)],
  ['Requested by', requestedBy && humanize(requestedBy)],
])}`,
  );
}

/** Shows whether the registrant verified the address, and what happens otherwise. */
export function verificationBadge({
  verification,
  hold,
  verifyBy,
}: Pick<DomainRegistrant, 'verification' | 'hold' | 'verifyBy'>): Markup {
  if (verification === 'verified') return badge('good', 'Verified');
  return hold === 'set'
    ? html`${badge('bad', 'Not verified')} The domain is out of the DNS until it is.`
    : html`${badge('wait', 'To verify')} by ${formatDay(verifyBy)}, or the domain leaves the DNS`;
}
