import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import type { Logger } from '../../shared/platform/observability/logger.ts';
import type { ApiServices } from '../compose-api.ts';
import { errorEnvelope, prepareErrorResponse } from '../http/error-response.ts';
import { parseJsonBody, rawBodyOf, refuseUnstorable } from '../http/json-body.ts';
import { lazyHandler } from '../http/middleware.ts';
import { mountRoutes } from '../http/route-table.ts';
import { sameOriginOnly } from '../http/same-origin.ts';
import { bodyValidator, oneLineValidator, parameterValidator } from '../http/validate.ts';
import { errorWords } from '../pages/kit/error-page.ts';
import { pageHeaders } from '../pages/kit/page-headers.ts';
import { consolePages, consoleRouter } from './console/console-router.ts';
import type { OpsRoute } from './ops-action.ts';
import { assertAccess, assertMayRun, opsRoutes, QUEUE_BOARD } from './ops-routes.ts';
import { requireStaff } from './ops-session.ts';
import { signInRouter } from './ops-sign-in.ts';

const QUEUES_PATH = '/ops/queues';

/** Serves everything under `/ops`: sign-in, the ops API, the queue dashboard, and the console. */
export function opsRouter(runtime: ApiServices): Router {
  const router = Router();
  router.use(pageHeaders('console'), sameOriginOnly(runtime.config));
  router.use(signInRouter(runtime));
  router.use('/api', opsApiRouter(runtime, opsRoutes));
  const board = lazyHandler(async () => {
    const { queueDashboard } = await import('./queue-dashboard.ts');
    return queueDashboard(runtime, QUEUES_PATH);
  });
  router.use('/queues', pageHeaders('queue-dashboard'), requireStaff(runtime), mayUseBoard, board);
  router.use('/queues/api', boardRefusal(runtime.log));
  router.use(consoleRouter(runtime, consolePages));
  return router;
}

/** Lets staff pass who may view the dashboard, or change something there. @throws forbidden */
const mayUseBoard: RequestHandler = (req, res, next) => {
  const looks = req.method === 'GET' || req.method === 'HEAD';
  assertAccess({ ...QUEUE_BOARD, dangerous: !looks && QUEUE_BOARD.dangerous }, res.locals.staff);
  next();
};

/**
 * Responds to refused requests from the dashboard's page. Of a response the page shows `error.key`, as a text to
 * translate, and `message`: without them nobody would learn why nothing happened.
 */
function boardRefusal(log: Logger): ErrorRequestHandler {
  return (thrown, req, res, _next) => {
    const error = prepareErrorResponse(log, thrown, req, res);
    if (!error) return;
    const { error: ours } = errorEnvelope(error, res.locals.requestId ?? '');
    const shown = {
      error: { ...ours, key: errorWords(error.status).title },
      message: ours.message,
    };
    res.status(error.status).json(shown);
  };
}

/** Mounts the table. It is only visible to signed-in staff. */
function opsApiRouter(runtime: ApiServices, routes: readonly OpsRoute[]): Router {
  const router = Router({ caseSensitive: true });
  router.use(requireStaff(runtime));
  mountRoutes(router, routes, (route) => endpoint(runtime, route));
  return router;
}

/** Handles a route: the input of an action is its path, and its query or its body, in one object. */
function endpoint(
  runtime: ApiServices,
  { method, path, status, action }: OpsRoute,
): RequestHandler {
  const check =
    method === 'GET'
      ? parameterValidator(action.input)
      : oneLineValidator(action.input, bodyValidator(action.input));
  return async (req, res) => {
    res.locals.route = `/ops/api${path}`;
    assertMayRun(action, res.locals.staff);
    const given =
      method === 'GET'
        ? { ...req.query }
        : (parseJsonBody(rawBodyOf(req), req.get('Content-Type')) ?? {});
    const input = { ...(given as object), ...req.params };
    refuseUnstorable(input);
    const answer = await action.run({ ...runtime, actor: res.locals.actor }, check(input));
    res.status(status).json(answer);
  };
}
