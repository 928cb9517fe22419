import { randomUUID } from 'node:crypto';
import type { Example } from '../../api/openapi/openapi-operation.ts';
import { partnerRoutes } from '../../api/partner/partner-router.ts';
import { publicRoutes } from '../../api/public/public-router.ts';
import type { TestApp } from './app.ts';
import type { ClientAnswer, SignedClient } from './signed-client.ts';

type Request = Pick<Example, 'params' | 'query' | 'body'>;

/** Calls an operation by its id. */
export type Call = (operationId: string, request?: Request) => Promise<ClientAnswer>;

/** Returns calls to the public API; `token` signs the caller in. */
export function publicCalls(app: TestApp, token?: string): Call {
  return callsOf(publicRoutes, (method, path, { query, body }) =>
    app.public.request(method, path, {
      query: query as Record<string, string>,
      ...(body !== undefined && { body }),
      ...(token && { token }),
      headers: { Accept: 'application/json' },
    }),
  );
}

/** Returns calls to the partner API, each with its own idempotency key. */
export function partnerCalls(client: SignedClient): Call {
  return callsOf(partnerRoutes, (method, path, { query, body }) =>
    client.request(method, path, {
      query: query as Record<string, string>,
      ...(body !== undefined && { body }),
      idempotencyKey: randomUUID(),
    }),
  );
}

function callsOf(
  rows: readonly { operationId: string; method: string; path: string }[],
  send: (method: string, path: string, request: Request) => Promise<ClientAnswer>,
): Call {
  return async (operationId, { params, query = {}, body } = {}) => {
    const row = rows.find((each) => each.operationId === operationId);
    if (!row) throw new Error(`no row is named ${operationId}`);
    return send(row.method, filled(row.path, params), { query, body });
  };
}

/** Fills in the parameters of a path. @throws Error when one is missing */
export function filled(
  path: string,
  params: Readonly<Record<string, string | undefined>> = {},
): string {
  return path.replace(/:(\w+)/g, (_, name) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${path} is called without its ${name}`);
    return encodeURIComponent(value);
  });
}

/** Records the first call of each operation as its example, and fails if a call is refused. */
export function recording(call: Call): { call: Call; examples: Record<string, Example> } {
  const examples: Record<string, Example> = {};
  return {
    examples,
    async call(operationId, request = {}) {
      const answer = await call(operationId, request);
      if (answer.status >= 400) throw new Error(`${operationId}: ${answer.status} ${answer.text}`);
      examples[operationId] ??= withoutAccidents({
        ...request,
        status: answer.status,
        ...(answer.text && { answer: answer.body }),
      });
      return answer;
    },
  };
}

/** Values that differ between runs, with their replacements. */
const ACCIDENTS: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z]{3})_[0-9a-z]{26}\b/g, '$1_01kag2cw9ef7ztb1m4x6n8q0rs'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJhbGciOiJIUzI1NiJ9.eyJ2IjoxfQ.c2lnbmF0dXJl'],
  [/listing\d+-\w+\.com/g, 'oakdeck.com'],
  [/"code":"[\w-]+","url"/g, '"code":"kT3vQ9xZ","url"'],
  [/\/r\/[\w-]+/g, '/r/kT3vQ9xZ'],
  [/\breq_\w{22}\b/g, 'req_5fTqk2mZr8Wc0YtB3nLxVa'],
  [/"elapsed_ms":\d+/g, '"elapsed_ms":42'],
];

function withoutAccidents(example: Example): Example {
  const text = ACCIDENTS.reduce(
    (all, [pattern, instead]) => all.replace(pattern, instead),
    JSON.stringify(example),
  );
  return JSON.parse(text) as Example;
}

/** Returns the names and types in a value; of an array only those of its first item. Null matches every type. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, shapeOf(inner)]),
  );
}
