import { type RequestHandler, Router } from 'express';
import { notFound } from '../http/error-response.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import { groupByPath, inputReader, mountRoutes } from '../http/route-table.ts';
import { sendReply } from '../http/send-reply.ts';
import { callerOf, requireScope, type VerifyAccessToken } from './caller.ts';
import { bearerChallenge } from './challenge.ts';
import { allowAllOrigins } from './cors.ts';
import type { PublicContext, PublicRoute } from './route.ts';
import { countOrRefuse, countRefusedRequests } from './slots.ts';

/**
 * Mounts the table; to be used at `/api/v1` and at `/api`. Every answer, the refusals included, costs a
 * slot and tells in `RateLimit-*` headers how the caller stands.
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
 * Finds out who calls and takes the slot before the body is read. Another verb costs a slot of the path's
 * first row; what only signed-in callers may do costs others a read.
 */
function admitTo(
  { limits }: PublicContext,
  verify: VerifyAccessToken,
  here: readonly PublicRoute[],
): RequestHandler {
  return async (req, res, next) => {
    const method = req.method === 'HEAD' ? 'GET' : req.method;
    const row = here.find((route) => route.method === method) ?? here[0];
    if (row) {
      res.locals.route = `/api${row.path}`;
      res.locals.requiredScope = row.scope;
      const caller = await callerOf(req, verify);
      const group = row.scope && caller.kind === 'anonymous' ? 'reads' : row.limit;
      await countOrRefuse(limits, group, caller, res);
      if (row.scope) requireScope(caller, row.scope);
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
