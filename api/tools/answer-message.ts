import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  type AuthInfo,
  createMcpHandler,
  localhostAllowedHostnames,
  validateHostHeader,
} from '@modelcontextprotocol/server';
import type { Request, RequestHandler } from 'express';
import { fail } from '../../shared/platform/errors.ts';
import { parseJsonObject, refuseDeepNesting } from '../http/json-body.ts';
import { rawBodyOf } from '../http/signature.ts';
import { requireWithinLimit } from '../public/limits.ts';
import type { PublicContext } from '../public/route.ts';
import { countRequest } from '../public/slots.ts';
import { acceptForLibrary, asksForStream, withoutConnection, withoutStream } from './negotiate.ts';
import { calledTool, type ToolCaller, toolServer } from './tools.ts';

/**
 * Refuses other hosts, as MCP asks: a name that a page points at this machine (DNS rebinding) is neither ours
 * nor one of the loopback. Pages of every origin may call under our own name: no cookie counts here, so a page
 * can do no more than the token that it was given.
 */
export function knownHostOnly({ baseUrl }: { baseUrl: string }): RequestHandler {
  const hostnames = [new URL(baseUrl).hostname, ...localhostAllowedHostnames()];
  return (req, _res, next) => {
    if (!validateHostHeader(req.host, hostnames).ok) {
      throw fail('forbidden', { message: 'The Host header does not name this service.' });
    }
    next();
  };
}

/** A call of a tool takes a slot of the single call's group, any other message a read. */
export function answerMessage(context: PublicContext): RequestHandler {
  const handler = createMcpHandler(({ authInfo }) =>
    toolServer(context, authInfo?.extra?.caller as ToolCaller),
  );
  const onerror = (err: Error) => context.log.error({ err }, 'tool server failed');
  const serve = withoutConnection(handler.fetch);
  const answer = toNodeHandler({ fetch: serve }, { onerror });
  const answerInJson = toNodeHandler({ fetch: withoutStream(serve) }, { onerror });
  return async (req: Request & { auth?: AuthInfo }, res) => {
    const message = parseJsonObject(rawBodyOf(req), req.get('Content-Type')) ?? {};
    refuseDeepNesting(message);
    const { signedIn: caller, requestId } = res.locals;
    const tool = calledTool(message);
    const slot = await countRequest(context.limits, tool?.route.limit ?? 'reads', caller, res);
    // A tool tells of a missing slot in its result, where the model sees it.
    if (tool) res.locals.route = `/api ${tool.op}`;
    else requireWithinLimit(slot);
    const toolCaller: ToolCaller = { caller, slot, requestId };
    const { clientId, scopes } = caller;
    req.auth = { token: '', clientId, scopes, extra: { caller: toolCaller } };
    const wantsStream = asksForStream(req);
    req.headers.accept = acceptForLibrary(req);
    await (wantsStream ? answer : answerInJson)(req, res, message);
  };
}
