import express, { type RequestHandler, Router } from 'express';
import type { Runtime } from '../../shared/runtime.ts';
import { parseJsonBody, refuseUnstorable } from '../http/json-body.ts';
import { onlyMethods } from '../http/only-methods.ts';
import { rawBodyOf } from '../http/signature.ts';
import { bodyValidator, parameterValidator } from '../http/validate.ts';
import type { OpsRoute } from './routes.ts';
import { requireOperator } from './session.ts';

const MAX_BODY_BYTES = 100_000;

/** Mounts the table. Nobody learns what is in it without signing in. */
export function opsApiRouter(runtime: Runtime, routes: readonly OpsRoute[]): Router {
  const router = Router({ caseSensitive: true });
  const rawBody = express.raw({ type: () => true, limit: MAX_BODY_BYTES, inflate: false });
  router.use(requireOperator(runtime));
  for (const path of new Set(routes.map((route) => route.path))) {
    const here = routes.filter((route) => route.path === path);
    for (const route of here) {
      const method = route.method === 'GET' ? 'get' : 'post';
      router[method](path, rawBody, endpoint(runtime, route));
    }
    router.all(path, onlyMethods(here.map((route) => route.method)));
  }
  return router;
}

/** The input of an action is its path, and its query or its body, in one object. */
function endpoint(runtime: Runtime, { method, path, status, action }: OpsRoute): RequestHandler {
  const check = (method === 'GET' ? parameterValidator : bodyValidator)(action.input);
  return async (req, res) => {
    res.locals.route = `/ops/api${path}`;
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
