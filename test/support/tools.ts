import type { TestApp } from './app.ts';
import { httpCall } from './http-call.ts';
import { accessTokenFor, givenOwner } from './oauth.ts';

/** The response of the tool server: JSON, or the one event of a stream. */
export interface ToolServerAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect
  body: any;
}

export interface MessageOptions {
  token?: string;
  path?: string;
  headers?: Record<string, string>;
}

/** Sends a message as a client of revision 2025-06-18 does; text is sent unchanged. */
export async function postMessage(
  app: TestApp,
  message: unknown,
  { token, path = '/api', headers = {} }: MessageOptions = {},
): Promise<ToolServerAnswer> {
  const {
    status,
    headers: received,
    text,
  } = await httpCall(app.url, 'POST', path, {
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2025-06-18',
      ...(token && { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });
  const event = /^data: (.*)$/m.exec(text)?.[1];
  const body = JSON.parse(event ?? (text || 'null'));
  return { status, headers: received, body };
}

/** Returns a protocol request. */
export const message = (method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params,
});

/** Returns a tool call. */
export const toolCall = (name: string, args: unknown = {}) =>
  message('tools/call', { name, arguments: args });

/** Returns the token of a new user. */
export async function tokenOfNewUser(app: TestApp): Promise<string> {
  const { id: userId } = await givenOwner(app.runtime);
  return accessTokenFor(app.runtime, { userId });
}
