import { type Request, type RequestHandler, type Response, Router } from 'express';
import { notFound } from '../http/error-response.ts';
import { inputReader, mountRoutes } from '../http/route-table.ts';
import { sendReply } from '../http/send-reply.ts';
import type { AuthenticateRequest } from './admission.ts';
import type { PartnerContext, PartnerRoute } from './route.ts';

/**
 * The table, as it is mounted under `/api/partner`; `first` sees every request there. A known path with another
 * verb answers 405.
 */
export function partnerRouter(
  context: PartnerContext,
  first: RequestHandler,
  admission: AuthenticateRequest,
  routes: readonly PartnerRoute[],
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(first);
  mountRoutes(router, routes, (route) => endpoint(context, admission, route));
  router.use(notFound);
  return router;
}

function endpoint(context: PartnerContext, admission: AuthenticateRequest, route: PartnerRoute) {
  const readInput = inputReader(route);
  const path = `/api/partner${route.path}`;
  return async (req: Request, res: Response): Promise<void> => {
    res.locals.route = path;
    const caller = await admission(route, req);
    const answer = await route.handler(context, {
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
