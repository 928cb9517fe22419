import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { partnerRoutes } from '../../api/partner/routes.ts';
import { publicRoutes } from '../../api/public/routes.ts';
import { ERROR_CATALOGUE } from '../../shared/platform/error-catalogue.ts';

/** What a client got, as far as its shape is concerned. */
export interface ReceivedAnswer {
  status: number;
  headers: Headers;
  body: unknown;
  text: string;
}

const ajv = new Ajv2020({ allErrors: true, strict: false });
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/);
ajv.addFormat('uri', (text: string) => URL.canParse(text));

const envelope = ajv.compile(
  closed({
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message', 'request_id'],
        properties: {
          code: { enum: Object.keys(ERROR_CATALOGUE) },
          message: { type: 'string', minLength: 1 },
          request_id: { type: 'string', minLength: 1 },
          details: { type: ['object', 'array'] },
        },
      },
    },
  }),
);

/** Kinds of answers that are no single JSON value. */
const STREAMED = /^(text\/csv|application\/x-ndjson|text\/event-stream)/;

const served = [
  ...partnerRoutes.map((route) => ({ ...route, base: '/api/partner' })),
  ...publicRoutes.map((route) => ({ ...route, base: '/api(?:/v1)?' })),
];
const declared = served.map((route) => ({
  method: route.method,
  pattern: new RegExp(`^${route.base}${route.path.replace(/:\w+/g, '[^/]+')}$`),
  answers: new Map(
    Object.entries(route.responses).map(([status, schema]): [number, ValidateFunction | null] => [
      Number(status),
      schema && ajv.compile(closed(schema)),
    ]),
  ),
}));

/**
 * Fails the test when an answer of the partner or public API is not what its route declares for the
 * status: a field too few, one too many, or one of another type. From 400 on it must be the error envelope.
 * `path` is the whole one, from `/api` on.
 */
export function expectDeclared(method: string, path: string, answer: ReceivedAnswer): void {
  const faults = faultsOf(method, path, answer);
  if (faults.length === 0) return;
  throw new Error(
    `${method} ${path} answered ${answer.status} unlike it declares:\n${faults.join('\n')}\n${answer.text}`,
  );
}

function faultsOf(method: string, path: string, answer: ReceivedAnswer): string[] {
  if (method === 'HEAD') return [];
  if (answer.status >= 400) return envelopeFaults(answer);
  const route = declared.find((each) => each.method === method && each.pattern.test(path));
  const schema = route?.answers.get(answer.status);
  if (!route || schema === undefined) return ['no route declares this status'];
  if (schema === null) return answer.text === '' ? [] : ['the body must be empty'];
  if (STREAMED.test(answer.headers.get('Content-Type') ?? '')) return [];
  return schema(answer.body) ? [] : inWords(schema);
}

function envelopeFaults(answer: ReceivedAnswer): string[] {
  if (!envelope(answer.body)) return inWords(envelope);
  const { error } = answer.body as {
    error: { code: keyof typeof ERROR_CATALOGUE; request_id: string };
  };
  const faults: string[] = [];
  if (ERROR_CATALOGUE[error.code].status !== answer.status)
    faults.push('the status is not the code’s');
  if (error.request_id !== answer.headers.get('X-Request-Id')) {
    faults.push('request_id is not X-Request-Id');
  }
  return faults;
}

const inWords = (check: ValidateFunction): string[] =>
  (check.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );

/** The same schema, but an object has no field that the schema does not name. */
function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(closed) as T;
  if (schema === null || typeof schema !== 'object') return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, closed(value)]),
  );
  const isObject = copy.type === 'object' && copy.additionalProperties === undefined;
  return (isObject ? { ...copy, additionalProperties: false } : copy) as T;
}
