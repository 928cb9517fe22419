import { randomUUID } from 'node:crypto';
import {
  canonicalString,
  computeSignature,
} from '../../shared/people/partners/request-signature.ts';
import { expectDeclared } from './declared-answers.ts';

/** What a partner's own code holds. */
export interface KeyPair {
  keyId: string;
  secret: string;
}

export interface ClientAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers field by field
  body: any;
  text: string;
}

export interface CallOptions {
  query?: Record<string, string | number>;
  body?: unknown;
  /** Sent as it stands, instead of `body` as JSON. */
  rawBody?: string;
  headers?: Record<string, string>;
  idempotencyKey?: string;
  /** Fails the test with the whole answer when the status is another one. */
  expect?: number;
}

/** Signs the way the documentation tells partners to, and checks each answer against its declaration. */
export interface SignedClient {
  request(method: string, path: string, options?: CallOptions): Promise<ClientAnswer>;
  get(path: string, options?: CallOptions): Promise<ClientAnswer>;
  post(path: string, options?: CallOptions): Promise<ClientAnswer>;
  put(path: string, options?: CallOptions): Promise<ClientAnswer>;
  patch(path: string, options?: CallOptions): Promise<ClientAnswer>;
  delete(path: string, options?: CallOptions): Promise<ClientAnswer>;
}

/** `path` is below `/api/partner`, such as `/v1/orders`. */
export function signedClient(
  baseUrl: string,
  keys: KeyPair,
  now: () => Date = () => new Date(),
): SignedClient {
  const request: SignedClient['request'] = async (method, path, options = {}) => {
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
    const response = await fetch(`${baseUrl}${fullPath}${query && `?${query}`}`, {
      method,
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
    const answer = await readAnswer(response);
    if (options.expect !== undefined && answer.status !== options.expect) {
      throw new Error(
        `${method} ${path}: expected ${options.expect}, got ${answer.status} ${answer.text}`,
      );
    }
    expectDeclared(method, fullPath, answer);
    return answer;
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

/** Whole answers, read once. */
export async function readAnswer(response: Response): Promise<ClientAnswer> {
  const text = await response.text();
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // Not JSON: an empty answer or a CSV.
  }
  return { status: response.status, headers: response.headers, body, text };
}
