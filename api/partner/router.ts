import express, { type Request, type Response, Router } from 'express';
import { fail } from '../../shared/platform/errors.ts';
import { parseJsonBody, refuseUnstorable } from '../http/json-body.ts';
import type { Reply } from '../http/reply.ts';
import { sendReply } from '../http/send-reply.ts';
import { rawBodyOf } from '../http/signature.ts';
import { bodyValidator, parameterValidator, type Validator } from '../http/validate.ts';
import type { Admission } from './admission.ts';
import type { PartnerContext, PartnerRoute } from './route.ts';

/** Bodies over this are refused before anything reads them. */
export const MAX_BODY_BYTES = 100_000;

/** Mounts the table under `/api/partner`. A known path with another verb answers 405. */
export function partnerRouter(
  context: PartnerContext,
  admission: Admission,
  routes: readonly PartnerRoute[],
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const rawBody = express.raw({ type: () => true, limit: MAX_BODY_BYTES, inflate: false });
  for (const path of new Set(routes.map((route) => route.path))) {
    const here = routes.filter((route) => route.path === path);
    for (const route of here) {
      const method = route.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete';
      router[method](path, rawBody, endpoint(context, admission, route));
    }
    const allowed = here.map((route) => route.method).join(', ');
    router.all(path, (_req, res, next) => {
      res.set('Allow', allowed);
      next(fail('method_not_allowed', { message: `This path answers ${allowed}.` }));
    });
  }
  return router;
}

function endpoint(context: PartnerContext, admission: Admission, route: PartnerRoute) {
  const checkParams = optional(route.params, parameterValidator);
  const checkQuery = optional(route.query, parameterValidator);
  const checkBody = optional(route.body, bodyValidator);

  return async (req: Request, res: Response): Promise<void> => {
    res.locals.route = `/api/partner${route.path}`;
    const caller = await admission(route, req);
    const query = { ...req.query };
    refuseUnstorable(query);
    refuseUnstorable(req.params);
    const answer: Reply = await route.handler(context, {
      caller,
      params: checkParams(req.params),
      query: checkQuery(query),
      body: route.body
        ? checkBody(parseJsonBody(rawBodyOf(req), req.get('Content-Type')))
        : undefined,
      idempotencyKey: req.get('Idempotency-Key'),
      method: req.method,
      path: req.baseUrl + req.path,
      accept: req.get('Accept') ?? '*/*',
      requestId: res.locals.requestId,
    });
    await sendReply(res, answer);
  };
}

function optional<S>(schema: S | undefined, compile: (schema: S) => Validator): Validator {
  return schema ? compile(schema) : () => ({});
}
