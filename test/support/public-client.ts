import { expectDeclared, isStreamed } from './declared-answers.ts';
import { type ClientAnswer, readAnswer } from './signed-client.ts';

export interface PublicCallOptions {
  query?: Record<string, string | number | boolean>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it stands, instead of `body` as JSON. */
  rawBody?: string;
  headers?: Record<string, string>;
  /** An access token. */
  token?: string;
  idempotencyKey?: string;
  /** The spelling of the paths: `/api` when left out. */
  base?: '/api' | '/api/v1';
  /** Fails the test with the whole answer when the status is another one. */
  expect?: number;
}

/** Calls the public API and checks each answer against its declaration. `path` is below `/api`. */
export interface PublicClient {
  request(method: string, path: string, options?: PublicCallOptions): Promise<ClientAnswer>;
  get(path: string, options?: PublicCallOptions): Promise<ClientAnswer>;
  post(path: string, options?: PublicCallOptions): Promise<ClientAnswer>;
}

export function publicClient(baseUrl: string): PublicClient {
  const request: PublicClient['request'] = async (method, path, options = {}) => {
    const pairs = Object.entries(options.query ?? {});
    const query = new URLSearchParams(
      pairs.map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const fullPath = `${options.base ?? '/api'}${path}`;
    const body =
      options.rawBody ?? (options.body === undefined ? '' : JSON.stringify(options.body));
    const response = await fetch(`${baseUrl}${fullPath}${query && `?${query}`}`, {
      method,
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(options.token && { Authorization: `Bearer ${options.token}` }),
        ...(options.idempotencyKey && { 'Idempotency-Key': options.idempotencyKey }),
        ...options.headers,
      },
      ...(body && { body }),
    });
    const answer = await readAnswer(response);
    if (options.expect !== undefined && answer.status !== options.expect) {
      throw new Error(
        `${method} ${path}: expected ${options.expect}, got ${answer.status} ${answer.text}`,
      );
    }
    expectDeclared(method, fullPath.replace(/\?.*$/, ''), answer);
    return answer;
  };
  return {
    request,
    get: (path, options) => request('GET', path, options),
    post: (path, options) => request('POST', path, options),
  };
}

/** `fetch` that checks the answer against its declaration; one that streams is left alone. */
export async function checkedFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  if (isStreamed(response.headers) || response.status === 204) return response;
  const answer = await readAnswer(response.clone());
  expectDeclared(init.method ?? 'GET', new URL(url).pathname, answer);
  return response;
}
