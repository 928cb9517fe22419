import type { createMcpHandler } from '@modelcontextprotocol/server';
import type { Request as Incoming } from 'express';

type Serve = ReturnType<typeof createMcpHandler>['fetch'];

const EVENT_STREAM = 'text/event-stream';
/** The library looks for both names, and for nothing else. */
const BOTH = `application/json, ${EVENT_STREAM}`;

/** What `Accept` means to the library: whoever takes JSON by any name, or says nothing, takes both. */
export function acceptForLibrary(req: Incoming): string | undefined {
  return req.accepts('application/json') === false ? req.get('Accept') : BOTH;
}

/**
 * Sends the one message of an event stream as JSON when the caller did not ask for streams. Nothing is lost by it:
 * a request has one answer here, and the server never sends anything by itself.
 */
export function withoutStream(serve: Serve): Serve {
  return async (request, options) => {
    const answer = await serve(request, options);
    return isStream(answer) ? Response.json(messageOf(await answer.text())) : answer;
  };
}

/** Whether a connection is kept is between Node and the caller: no answer says so by itself. */
export function withoutConnection(serve: Serve): Serve {
  return async (request, options) => {
    const answer = await serve(request, options);
    answer.headers.delete('connection');
    return answer;
  };
}

export function asksForStream(req: Incoming): boolean {
  return (req.get('Accept') ?? '').includes(EVENT_STREAM);
}

function isStream(answer: Response): boolean {
  return answer.headers.get('content-type')?.startsWith(EVENT_STREAM) ?? false;
}

/** The last message of a stream, which is the answer to the request. */
function messageOf(events: string): unknown {
  const data = [...events.matchAll(/^data: (.+)$/gm)].at(-1)?.[1];
  return data === undefined ? null : JSON.parse(data);
}
