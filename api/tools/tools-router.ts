import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import type { ErrorCode } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/observability/logger.ts';
import { onlyMethods, prepareErrorResponse, toServiceError } from '../http/error-response.ts';
import { isNotJson, MAX_BODY_BYTES, rawBodyUpTo } from '../http/json-body.ts';
import { lazyHandler } from '../http/middleware.ts';
import { allowAllOrigins } from '../public/cors.ts';
import {
  bearerChallenge,
  callerOf,
  requireScope,
  type VerifyAccessToken,
} from '../public/public-caller.ts';
import { countOrRefuse, countRefusedRequests } from '../public/public-limits.ts';
import type { PublicContext } from '../public/public-route.ts';

const PATHS = ['/api', '/api/', '/api/v1', '/api/v1/'];
const SCOPE = 'pricing:read';

/**
 * The tool server: MCP over Streamable HTTP, without sessions, for signed-in callers. All others get a 401 that says
 * where to sign in (RFC 9728).
 */
export function toolsRouter(context: PublicContext, verify: VerifyAccessToken): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const server = () => import('./tool-server.ts');
  const knownHostOnly = lazyHandler(async () => (await server()).knownHostOnly(context.config));
  const answerMessage = lazyHandler(async () => (await server()).answerMessage(context));
  router.all(PATHS, allowAllOrigins, signedInOnly(verify), knownHostOnly);
  router.post(PATHS, rawBodyUpTo(MAX_BODY_BYTES), answerMessage);
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
    // From here on, no other token would help.
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

/**
 * JSON-RPC 2.0 codes of messages that are refused before the protocol's library sees them. -32000 is in the range
 * reserved for servers; the library itself uses it for media types it can't read or write.
 */
const CODES: Partial<Record<ErrorCode, number>> = {
  validation_error: -32_600,
  unsupported_media_type: -32_000,
};
const PARSE_ERROR = -32_700;

/** Responds to unreadable messages as the library does: with a JSON-RPC error, our own error in its `data`. */
function jsonRpcRefusal(log: Logger): ErrorRequestHandler {
  return (thrown, req, res, next) => {
    const refusal = toServiceError(thrown);
    const code = isNotJson(refusal) ? PARSE_ERROR : CODES[refusal.code];
    if (code === undefined) return next(thrown);
    const error = prepareErrorResponse(log, thrown, req, res);
    if (!error) return;
    const { message, details } = error;
    const data = {
      code: error.code,
      request_id: res.locals.requestId,
      ...(details !== undefined && { details }),
    };
    res.status(error.status).json({ jsonrpc: '2.0', error: { code, message, data }, id: null });
  };
}
