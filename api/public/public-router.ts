import { type RequestHandler, Router } from 'express';
import { notFound } from '../http/error-response.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import { sendReply } from '../http/reply.ts';
import { groupByPath, inputReader, mountRoutes } from '../http/route-table.ts';
import { listOperationsRoute, runBatchRoute } from './batch-routes.ts';
import { streamBulkJobRoute } from './bulk-progress-stream.ts';
import { cancelBulkJobRoute, getBulkJobRoute, startBulkJobRoute } from './bulk-routes.ts';
import { allowAllOrigins } from './cors.ts';
import { searchDomainRoute } from './domain-search-routes.ts';
import { listListingsRoute } from './listing-routes.ts';
import { listDomainsRoute } from './owned-domain-routes.ts';
import {
  bearerChallenge,
  callerOf,
  requireScope,
  type VerifyAccessToken,
} from './public-caller.ts';
import { countOrRefuse, countRefusedRequests } from './public-limits.ts';
import type { PublicContext, PublicRoute } from './public-route.ts';
import { getTldMetadataRoute, getTldPricingRoute, listTldsRoute } from './tld-routes.ts';
import { lookUpDomainRoute } from './whois-routes.ts';

/** Operations on many domains at once. */
const bulkRoutes: readonly PublicRoute[] = [
  startBulkJobRoute,
  getBulkJobRoute,
  cancelBulkJobRoute,
  streamBulkJobRoute,
];

/** All routes of the public API. */
export const publicRoutes: readonly PublicRoute[] = [
  searchDomainRoute,
  lookUpDomainRoute,
  getTldPricingRoute,
  listTldsRoute,
  getTldMetadataRoute,
  listListingsRoute,
  runBatchRoute,
  listOperationsRoute,
  listDomainsRoute,
  ...bulkRoutes,
];

/**
 * Mounts the table; used at `/api/v1` and at `/api`. Every response, including errors, costs a slot and reports the
 * caller's limit in `RateLimit-*` headers.
 */
export function publicRouter(
  context: PublicContext,
  verify: VerifyAccessToken,
  routes: readonly PublicRoute[],
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(allowAllOrigins);
  for (const [path, here] of groupByPath(routes)) router.all(path, admitTo(context, verify, here));
  mountRoutes(router, routes, (route) => endpoint(context, route));
  router.use(notFound);
  router.use(countRefusedRequests(context.limits));
  router.use(bearerChallenge(context.config));
  return router;
}

/**
 * Identifies the caller and takes a slot before the body is read. Another verb costs a slot of the path's first route;
 * an anonymous call to a route for signed-in callers costs a read.
 */
function admitTo(
  { limits }: PublicContext,
  verify: VerifyAccessToken,
  here: readonly PublicRoute[],
): RequestHandler {
  return async (req, res, next) => {
    const method = req.method === 'HEAD' ? 'GET' : req.method;
    const called = here.find((route) => route.method === method) ?? here[0];
    if (called) {
      res.locals.route = `/api${called.path}`;
      res.locals.requiredScope = called.scope;
      const caller = await callerOf(req, verify);
      const group = called.scope && caller.kind === 'anonymous' ? 'reads' : called.limit;
      await countOrRefuse(limits, group, caller, res);
      if (called.scope) requireScope(caller, called.scope);
    }
    next();
  };
}

function endpoint(context: PublicContext, route: PublicRoute): RequestHandler {
  const readInput = inputReader(route);
  return async (req, res) => {
    const answer = await route.handler(context, {
      caller: res.locals.publicCaller,
      ...readInput(req, res),
      accept: req.get('Accept') ?? '*/*',
      requestId: res.locals.requestId,
      ...(route.idempotencyKey && { idempotencyKey: idempotencyKeyOf(req) }),
    });
    await sendReply(res, answer);
  };
}
