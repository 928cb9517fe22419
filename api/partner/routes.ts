import { brokerageRoutes } from './brokerage/routes.ts';
import { checkoutRoutes } from './checkout/routes.ts';
import { getAvailabilityRoute } from './discovery/get-availability.ts';
import { getDomainRoute } from './discovery/get-domain.ts';
import { getPricingRoute } from './discovery/get-pricing.ts';
import { searchDomainsRoute } from './discovery/search-domains.ts';
import { listEventsRoute } from './events/list-events.ts';
import { createOrderRoute } from './orders/create-order.ts';
import { getOrderRoute } from './orders/get-order.ts';
import { listOrdersRoute } from './orders/list-orders.ts';
import { createQuoteRoute } from './quotes/create-quote.ts';
import { releaseQuoteRoute } from './quotes/release-quote.ts';
import { referralRoutes } from './referral/routes.ts';
import { createRefundRoute } from './refunds/create-refund.ts';
import { listPayoutsRoute } from './reports/list-payouts.ts';
import { listTransactionsRoute } from './reports/list-transactions.ts';
import type { PartnerRoute } from './route.ts';
import { advanceOrderRoute } from './sandbox/advance-order.ts';
import { getSettlementRoute } from './settlements/get-settlement.ts';
import { listSettlementsRoute } from './settlements/list-settlements.ts';
import { webhookRoutes } from './webhooks/routes.ts';

/** The whole partner API, a row an endpoint. */
export const partnerRoutes: readonly PartnerRoute[] = [
  searchDomainsRoute,
  getDomainRoute,
  getAvailabilityRoute,
  getPricingRoute,
  createQuoteRoute,
  releaseQuoteRoute,
  createOrderRoute,
  listOrdersRoute,
  getOrderRoute,
  createRefundRoute,
  ...checkoutRoutes,
  advanceOrderRoute,
  listSettlementsRoute,
  getSettlementRoute,
  listTransactionsRoute,
  listPayoutsRoute,
  ...brokerageRoutes,
  ...referralRoutes,
  listEventsRoute,
  ...webhookRoutes,
];
