import { expectDeclared, isStreamed } from './declared-answers.ts';
import { type HttpCall, httpCall } from './http-call.ts';
import { readAnswer } from './signed-client.ts';

interface PublicCallOptions {
  query?: Record<string, string | number | boolean>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged, instead of `body` as JSON. */
  rawBody?: string;
  headers?: Record<string, string>;
  /** An access token. */
  token?: string;
  idempotencyKey?: string;
  /** The prefix of the paths: `/api` by default. */
  base?: '/api' | '/api/v1';
}

/** Calls the public API and checks each response against its declaration. `path` is below `/api`. */
export interface PublicClient {
  request(method: string, path: string, options?: PublicCallOptions): HttpCall;
  get(path: string, options?: PublicCallOptions): HttpCall;
  post(path: string, options?: PublicCallOptions): HttpCall;
}

export function publicClient(baseUrl: string): PublicClient {
  const request: PublicClient['request'] = (method, path, options = {}) => {
    const pairs = Object.entries(options.query ?? {});
    const query = new URLSearchParams(
      pairs.map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const fullPath = `${options.base ?? '/api'}${path}`;
    const body =
      options.rawBody ?? (options.body === undefined ? '' : JSON.stringify(options.body));
    const call = httpCall(baseUrl, method, `${fullPath}${query && `?${query}`}`, {
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(options.token && { Authorization: `Bearer ${options.token}` }),
        ...(options.idempotencyKey && { 'Idempotency-Key': options.idempotencyKey }),
        ...options.headers,
      },
      ...(body && { body }),
    });
    return call.expect((answer) => expectDeclared(method, fullPath.replace(/\?.*$/, ''), answer));
  };
  return {
    request,
    get: (path, options) => request('GET', path, options),
    post: (path, options) => request('POST', path, options),
  };
}

/** Like `fetch`, but checks the response against its declaration, unless it is streamed. */
export async function checkedFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  if (isStreamed(response.headers) || response.status === 204) return response;
  const answer = await readAnswer(response.clone());
  expectDeclared(init.method ?? 'GET', new URL(url).pathname, answer);
  return response;
}
