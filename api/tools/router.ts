import { type RequestHandler, Router } from 'express';
import { lazyHandler } from '../http/on-first-use.ts';
import { onlyMethods } from '../http/only-methods.ts';
import { rawBody } from '../http/route-table.ts';
import { callerOf, requireScope, type VerifyAccessToken } from '../public/caller.ts';
import { bearerChallenge } from '../public/challenge.ts';
import { allowAllOrigins } from '../public/cors.ts';
import type { PublicContext } from '../public/route.ts';
import { countOrRefuse, countRefusedRequests } from '../public/slots.ts';
import { jsonRpcRefusal } from './json-rpc-refusal.ts';

const PATHS = ['/api', '/api/', '/api/v1', '/api/v1/'];
const SCOPE = 'pricing:read';

/**
 * The tool server: MCP over Streamable HTTP, without sessions, for callers who signed in. Everybody else
 * gets a 401 that says where (RFC 9728).
 */
export function toolsRouter(context: PublicContext, verify: VerifyAccessToken): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const server = () => import('./answer-message.ts');
  const knownHostOnly = lazyHandler(async () => (await server()).knownHostOnly(context.config));
  const answerMessage = lazyHandler(async () => (await server()).answerMessage(context));
  router.all(PATHS, allowAllOrigins, signedInOnly(verify), knownHostOnly);
  router.post(PATHS, rawBody, answerMessage);
  router.all(PATHS, countRefusal(context), onlyMethods(['POST']));
  router.use(countRefusedRequests(context.limits), bearerChallenge(context.config));
  router.use(PATHS, jsonRpcRefusal(context.log));
  return router;
}

function signedInOnly(verify: VerifyAccessToken): RequestHandler {
  return async (req, res, next) => {
    res.locals.route = '/api';
    res.locals.requiredScope = SCOPE;
    const caller = await callerOf(req, verify);
    requireScope(caller, SCOPE);
    res.locals.signedIn = caller;
    // Whatever is refused from here on, no other token would help.
    res.locals.requiredScope = undefined;
    next();
  };
}

function countRefusal({ limits }: PublicContext): RequestHandler {
  return async (_req, res, next) => {
    await countOrRefuse(limits, 'reads', res.locals.signedIn, res);
    next();
  };
}
