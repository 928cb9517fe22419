import { listEventsRoute } from './events/list-events.ts';
import type { PartnerRoute } from './route.ts';

/** The whole partner API, a row an endpoint. */
export const partnerRoutes: readonly PartnerRoute[] = [listEventsRoute];
