import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  type AuthInfo,
  createMcpHandler,
  localhostAllowedHostnames,
  validateHostHeader,
} from '@modelcontextprotocol/server';
import { type Request, type RequestHandler, Router } from 'express';
import { fail } from '../../shared/platform/errors.ts';
import { parseJsonObject } from '../http/json-body.ts';
import { rawBody } from '../http/route-table.ts';
import { rawBodyOf } from '../http/signature.ts';
import { callerOf, requireScope, type VerifyAccessToken } from '../public/caller.ts';
import { challenge } from '../public/challenge.ts';
import { openToPages } from '../public/cors.ts';
import { requireSlot } from '../public/limits.ts';
import type { PublicContext } from '../public/route.ts';
import { askSlot, chargeRefused, takeSlot } from '../public/slots.ts';
import { calledTool, type ToolCaller, toolServer } from './tools.ts';

const PATHS = ['/api', '/api/', '/api/v1', '/api/v1/'];
const SCOPE = 'pricing:read';

/**
 * The tool server: MCP over Streamable HTTP, without sessions, for callers who signed in. Everybody else
 * gets a 401 that says where (RFC 9728).
 */
export function toolsRouter(context: PublicContext, verify: VerifyAccessToken): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.all(PATHS, openToPages, signedInOnly(verify), knownHostOnly(context.config));
  router.post(PATHS, rawBody, answerMessage(context));
  router.all(PATHS, refuseOtherMethods(context));
  router.use(chargeRefused(context.limits), challenge(context.config));
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

/**
 * Refuses other hosts, as MCP asks: a name that a page points at this machine (DNS rebinding) is neither ours
 * nor one of the loopback. Pages of every origin may call under our own name: no cookie counts here, so a page
 * can do no more than the token that it was given.
 */
function knownHostOnly({ baseUrl }: { baseUrl: string }): RequestHandler {
  const hostnames = [new URL(baseUrl).hostname, ...localhostAllowedHostnames()];
  return (req, _res, next) => {
    if (!validateHostHeader(req.host, hostnames).ok) {
      throw fail('forbidden', { message: 'The Host header does not name this service.' });
    }
    next();
  };
}

/** A call of a tool takes a slot of the single call's group, any other message a read. */
function answerMessage(context: PublicContext): RequestHandler {
  const handler = createMcpHandler(({ authInfo }) =>
    toolServer(context, authInfo?.extra?.caller as ToolCaller),
  );
  const answer = toNodeHandler(handler, {
    onerror: (err) => context.log.error({ err }, 'tool server failed'),
  });
  return async (req: Request & { auth?: AuthInfo }, res) => {
    const message = parseJsonObject(rawBodyOf(req), req.get('Content-Type')) ?? {};
    const { signedIn: caller, requestId } = res.locals;
    const tool = calledTool(message);
    const slot = await askSlot(context.limits, tool?.route.limit ?? 'reads', caller, res);
    // A tool tells of a missing slot in its result, where the model sees it.
    if (tool) res.locals.route = `/api ${tool.op}`;
    else requireSlot(slot);
    const toolCaller: ToolCaller = { caller, slot, requestId };
    const { clientId, scopes } = caller;
    req.auth = { token: '', clientId, scopes, extra: { caller: toolCaller } };
    await answer(req, res, message);
  };
}

function refuseOtherMethods({ limits }: PublicContext): RequestHandler {
  return async (_req, res) => {
    await takeSlot(limits, 'reads', res.locals.signedIn, res);
    res.set('Allow', 'POST');
    throw fail('method_not_allowed', { message: 'This path answers POST.' });
  };
}
