import { type Request, type RequestHandler, type Response, Router } from 'express';
import { inTimeOf } from '../../shared/messaging/unit-of-work/partner-time.ts';
import { notFound } from '../http/error-response.ts';
import { composeSteps } from '../http/middleware.ts';
import { sendReply } from '../http/reply.ts';
import { inputReader, mountRoutes } from '../http/route-table.ts';
import type { AuthenticateRequest } from './authentication.ts';
import { brokerageRoutes } from './brokerage-routes.ts';
import { checkoutRoutes } from './checkout-routes.ts';
import { getDocumentRoute } from './document-routes.ts';
import { getAvailabilityRoute, getDomainRoute, getPricingRoute } from './domain-routes.ts';
import { listEventsRoute } from './event-routes.ts';
import { MOVED_METHODS, serveMovedPaths } from './moved-paths.ts';
import { offerRoutes } from './offer-routes.ts';
import {
  createOrderRoute,
  getOrderRoute,
  issueAuthCodeRoute,
  listOrdersRoute,
  setRegistrantRoute,
} from './order-routes.ts';
import type { PartnerContext, PartnerRoute } from './partner-route.ts';
import { createQuoteRoute, releaseQuoteRoute } from './quote-routes.ts';
import { referralRoutes } from './referral-routes.ts';
import { createRefundRoute } from './refund-routes.ts';
import { getPayoutRoute, listPayoutsRoute, listTransactionsRoute } from './report-routes.ts';
import { advanceClockRoute, advanceOrderRoute, getClockRoute } from './sandbox-routes.ts';
import { searchDomainsRoute } from './search-route.ts';
import { getSettlementRoute, listSettlementsRoute } from './settlement-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';

/** Routes that use real time instead of the sandbox clock (`realTime`). */
const onRealTime = (routes: readonly PartnerRoute[]): PartnerRoute[] =>
  routes.map((route) => ({ ...route, realTime: true }));

/** All routes of the partner API. */
export const partnerRoutes: readonly PartnerRoute[] = [
  ...onRealTime([searchDomainsRoute, getDomainRoute, getAvailabilityRoute, getPricingRoute]),
  createQuoteRoute,
  releaseQuoteRoute,
  createOrderRoute,
  ...onRealTime([listOrdersRoute, getOrderRoute]),
  setRegistrantRoute,
  issueAuthCodeRoute,
  createRefundRoute,
  ...offerRoutes,
  ...checkoutRoutes,
  advanceOrderRoute,
  ...onRealTime([getClockRoute, advanceClockRoute]),
  listSettlementsRoute,
  getSettlementRoute,
  ...onRealTime([listTransactionsRoute, listPayoutsRoute, getPayoutRoute, getDocumentRoute]),
  ...brokerageRoutes,
  ...onRealTime([...referralRoutes, listEventsRoute, ...webhookRoutes]),
];

/**
 * Builds the router of the table, mounted under `/api/partner`; `first` handles every request before the routes. A
 * known path with another verb responds with 405.
 */
export function partnerRouter(
  context: PartnerContext,
  first: RequestHandler,
  authenticate: AuthenticateRequest,
  routes: readonly PartnerRoute[],
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(first);
  const movedPathsUrl = `${context.config.baseUrl}/docs/versioning#moved-paths`;
  router.use(composeSteps(serveMovedPaths(movedPathsUrl)));
  mountRoutes(router, routes, (route) => endpoint(context, authenticate, route), MOVED_METHODS);
  router.use(notFound);
  return router;
}

function endpoint(context: PartnerContext, authenticate: AuthenticateRequest, route: PartnerRoute) {
  const readInput = inputReader(route);
  const path = `/api/partner${route.path}`;
  return async (req: Request, res: Response): Promise<void> => {
    res.locals.route = path;
    const caller = await authenticate(route, req, res);
    const timed = route.realTime ? context : await inTimeOf(context, caller);
    const answer = await route.handler(timed, {
      caller,
      ...readInput(req, res),
      idempotencyKey: req.get('Idempotency-Key'),
      method: req.method,
      path: req.baseUrl + req.path,
      accept: req.get('Accept') ?? '*/*',
      requestId: res.locals.requestId,
    });
    await sendReply(res, answer);
  };
}
