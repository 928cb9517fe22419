import {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express';
import { fail } from '../../shared/platform/errors.ts';
import { noSuchPath } from '../http/error-response.ts';
import { byPath, inputReader, mountTable } from '../http/route-table.ts';
import { sendReply } from '../http/send-reply.ts';
import { challenge } from './challenge.ts';
import {
  type PublicCaller,
  type PublicLimitGroup,
  type PublicLimits,
  WINDOW_SECONDS,
} from './limits.ts';
import type { PublicContext, PublicRoute } from './route.ts';

/** What a page of another origin may read beside the body. */
const EXPOSED_HEADERS =
  'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id';

/**
 * Mounts the table; to be used at `/api/v1` and at `/api`. Every answer, the refusals included, costs a
 * slot and tells in `RateLimit-*` headers how the caller stands.
 */
export function publicRouter(
  context: PublicContext,
  limits: PublicLimits,
  routes: readonly PublicRoute[],
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(openReads);
  for (const [path, here] of byPath(routes)) router.all(path, admitTo(limits, here));
  mountTable(router, routes, (route) => endpoint(context, route));
  router.use(noSuchPath);
  router.use(admitRefused(limits));
  router.use(challenge(context.config));
  return router;
}

/** Reads need no credentials, so any page may make them (CORS). */
const openReads: RequestHandler = (req, res, next) => {
  if (isRead(req.method)) {
    res.set('Access-Control-Allow-Origin', '*');
    res.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
  }
  next();
};

/** Takes the slot before the body is read. Another verb costs a slot of the path's first row. */
function admitTo(limits: PublicLimits, here: readonly PublicRoute[]): RequestHandler {
  return async (req, res, next) => {
    const method = isRead(req.method) ? 'GET' : req.method;
    const row = here.find((route) => route.method === method) ?? here[0];
    if (row) {
      res.locals.route = `/api${row.path}`;
      await admit(limits, row.limit, req, res);
    }
    next();
  };
}

/** What was refused before any row was found (an unknown path, a malformed one) costs a read. */
function admitRefused(limits: PublicLimits): ErrorRequestHandler {
  return async (error, req, res, next) => {
    if (!res.locals.publicCaller) await admit(limits, 'reads', req, res);
    next(error);
  };
}

/** @throws rate_limited */
async function admit(
  limits: PublicLimits,
  group: PublicLimitGroup,
  req: Request,
  res: Response,
): Promise<void> {
  const caller: PublicCaller = { kind: 'anonymous', address: req.ip ?? 'unknown' };
  res.locals.publicCaller = caller;
  const { granted, limit, remaining, resetSeconds } = await limits.take(group, caller);
  res.set({
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
    'RateLimit-Policy': `${limit};w=${WINDOW_SECONDS}`,
  });
  if (granted) return;
  throw fail('rate_limited', {
    message: `Too many requests. Retry after ${resetSeconds} s.`,
    retryAfterSeconds: resetSeconds,
  });
}

function endpoint(context: PublicContext, route: PublicRoute): RequestHandler {
  const readInput = inputReader(route);
  return async (req, res) => {
    const answer = await route.handler(context, {
      caller: res.locals.publicCaller,
      ...readInput(req),
      accept: req.get('Accept') ?? '*/*',
      requestId: res.locals.requestId,
    });
    await sendReply(res, answer);
  };
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
