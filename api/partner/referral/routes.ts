import type { PartnerRoute } from '../route.ts';
import { createLinkRoute } from './create-link.ts';
import { getAnalyticsRoute } from './get-analytics.ts';
import { getClicksRoute } from './get-clicks.ts';
import { listCommissionsRoute } from './list-commissions.ts';
import { listLinksRoute } from './list-links.ts';
import { listReferralPayoutsRoute } from './list-payouts.ts';
import { listSalesRoute } from './list-sales.ts';

/** The referral part of the partner API. */
export const referralRoutes: readonly PartnerRoute[] = [
  createLinkRoute,
  listLinksRoute,
  getClicksRoute,
  listSalesRoute,
  listCommissionsRoute,
  listReferralPayoutsRoute,
  getAnalyticsRoute,
];
