import { randomUUID } from 'node:crypto';
import {
  canonicalString,
  computeSignature,
} from '../../shared/people/partners/request-signature.ts';
import { expectDeclared } from './declared-answers.ts';
import { type ClientAnswer, type HttpCall, httpCall } from './http-call.ts';

export type { ClientAnswer };

/** What a partner's own code has. */
export interface KeyPair {
  keyId: string;
  secret: string;
}

interface CallOptions {
  query?: Record<string, string | number>;
  body?: unknown;
  /** Sent unchanged, instead of `body` as JSON. */
  rawBody?: string;
  headers?: Record<string, string>;
  idempotencyKey?: string;
}

/** Signs as the documentation tells partners to, and checks each response against its declaration. */
export interface SignedClient {
  request(method: string, path: string, options?: CallOptions): HttpCall;
  get(path: string, options?: CallOptions): HttpCall;
  post(path: string, options?: CallOptions): HttpCall;
  put(path: string, options?: CallOptions): HttpCall;
  patch(path: string, options?: CallOptions): HttpCall;
  delete(path: string, options?: CallOptions): HttpCall;
}

/** Creates a client; `path` is below `/api/partner`, such as `/v1/orders`. */
export function signedClient(
  baseUrl: string,
  keys: KeyPair,
  now: () => Date = () => new Date(),
): SignedClient {
  const request: SignedClient['request'] = (method, path, options = {}) => {
    const pairs = Object.entries(options.query ?? {});
    const query = new URLSearchParams(
      pairs.map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const fullPath = `/api/partner${path}`;
    const body =
      options.rawBody ?? (options.body === undefined ? '' : JSON.stringify(options.body));
    const timestamp = String(Math.floor(now().getTime() / 1_000));
    const nonce = randomUUID();
    const canonical = canonicalString({
      method,
      path: fullPath,
      query,
      timestamp,
      nonce,
      body: Buffer.from(body),
    });
    const call = httpCall(baseUrl, method, `${fullPath}${query && `?${query}`}`, {
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        'X-Service-Key-Id': keys.keyId,
        'X-Service-Timestamp': timestamp,
        'X-Service-Nonce': nonce,
        'X-Service-Signature': `v1=${computeSignature(keys.secret, canonical)}`,
        ...(options.idempotencyKey && { 'Idempotency-Key': options.idempotencyKey }),
        ...options.headers,
      },
      ...(body && { body }),
    });
    return call.expect((answer) => expectDeclared(method, fullPath, answer));
  };
  return {
    request,
    get: (path, options) => request('GET', path, options),
    post: (path, options) => request('POST', path, options),
    put: (path, options) => request('PUT', path, options),
    patch: (path, options) => request('PATCH', path, options),
    delete: (path, options) => request('DELETE', path, options),
  };
}

/** Returns the response to a `fetch`, read once. */
export async function readAnswer(response: Response): Promise<ClientAnswer> {
  const text = await response.text();
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // Not JSON: an empty response or a CSV.
  }
  return { status: response.status, headers: response.headers, body, text };
}
