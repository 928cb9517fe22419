import { randomUUID } from 'node:crypto';
import type { Example } from '../../api/openapi/openapi-operation.ts';
import { partnerRoutes } from '../../api/partner/partner-router.ts';
import { publicRoutes } from '../../api/public/public-router.ts';
import type { TestApp } from './app.ts';
import type { ClientAnswer, SignedClient } from './signed-client.ts';

type Request = Pick<Example, 'params' | 'query' | 'body'>;

/** Makes calls by their operation ids and keeps the first of each as the example of its operation. */
export interface Recorder {
  call(operationId: string, request?: Request): Promise<ClientAnswer>;
  examples: Record<string, Example>;
}

/** `token` signs the caller in. */
export function publicRecorder(app: TestApp, token?: string): Recorder {
  return recorder(publicRoutes, (method, path, { query, body }) =>
    app.public.request(method, path, {
      query: query as Record<string, string>,
      ...(body !== undefined && { body }),
      ...(token && { token }),
      headers: { Accept: 'application/json' },
    }),
  );
}

export function partnerRecorder(client: SignedClient): Recorder {
  return recorder(partnerRoutes, (method, path, { query, body }) =>
    client.request(method, path, {
      query: query as Record<string, string>,
      ...(body !== undefined && { body }),
      idempotencyKey: randomUUID(),
    }),
  );
}

function recorder(
  rows: readonly { operationId: string; method: string; path: string }[],
  send: (
    method: string,
    path: string,
    request: { query: Readonly<Record<string, unknown>>; body: unknown },
  ) => Promise<ClientAnswer>,
): Recorder {
  const examples: Record<string, Example> = {};
  return {
    examples,
    async call(operationId, request = {}) {
      const row = rows.find((each) => each.operationId === operationId);
      if (!row) throw new Error(`no row is named ${operationId}`);
      const { params = {}, query = {}, body } = request;
      const path = row.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ''));
      const answer = await send(row.method, path, { query, body });
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

/** What differs from run to run, and what stands for it. */
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

/** The names and types in a value; of an array those of its first item. Null fits every type. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, shapeOf(inner)]),
  );
}
