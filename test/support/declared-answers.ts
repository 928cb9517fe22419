import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { partnerDocument } from '../../api/openapi/partner-document.ts';
import { publicDocument } from '../../api/openapi/public-document.ts';
import { newPathOf } from '../../api/partner/moved-paths.ts';
import { ERROR_CATALOGUE } from '../../shared/platform/errors.ts';
import { closedSchema } from '../../shared/platform/json-schema.ts';

/** A received response, as far as its shape matters. */
export interface ReceivedAnswer {
  status: number;
  headers: Headers;
  body: unknown;
  text: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a document is read by its paths
type Document = any;

interface Call {
  method: string;
  pattern: RegExp;
  document: Document;
  /** A JSON pointer to the operation in its document. */
  pointer: string;
  responses: Document;
}

const options = { baseUrl: 'https://market.example', deprecations: [] };
const ajv = new Ajv2020({ allErrors: true, strict: false });
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/);
ajv.addFormat('email', /^[^@\s]+@[^@\s]+$/);
ajv.addFormat('uri', (text: string) => URL.canParse(text));

const calls = [
  ...callsOf('partner', partnerDocument(options)),
  ...callsOf('public', publicDocument(options)),
];

/** Statuses with which every call of a known path can be refused, whatever its route declares. */
const BEFORE_ANY_ROW = new Set([405, 413, 415]);
/** Responses that are not a single JSON value. */
const STREAMED = /^(application\/pdf|text\/csv|application\/x-ndjson|text\/event-stream)/;

export function isStreamed(headers: Headers): boolean {
  return STREAMED.test(headers.get('Content-Type') ?? '');
}

/**
 * Fails the test if a response of the partner or public API does not match its OpenAPI document: missing fields, extra
 * fields, wrong types, or an undeclared error status. `path` is the full path, from `/api` on.
 */
export function expectDeclared(method: string, path: string, answer: ReceivedAnswer): void {
  const faults = faultsOf(method, documentedPathOf(method, path), answer);
  if (faults.length === 0) return;
  throw new Error(
    `${method} ${path} answered ${answer.status} unlike its document says:\n${faults.join('\n')}\n${answer.text}`,
  );
}

/** Returns the documented path of a call: the new one of a moved path. */
function documentedPathOf(method: string, path: string): string {
  const below = path.replace(/^\/api\/partner/, '');
  const moved = below === path ? undefined : newPathOf(method, below);
  return moved === undefined ? path : `/api/partner${moved}`;
}

/** Checks a value against a document's schema, by JSON pointer; objects may have no other fields. */
export function schemaFaults(
  name: 'partner' | 'public',
  pointer: string,
  value: unknown,
): readonly string[] {
  const check = validator(`${name}#${pointer}`);
  return check(value) ? [] : inWords(check);
}

function faultsOf(method: string, path: string, answer: ReceivedAnswer): string[] {
  if (method === 'HEAD') return [];
  const call = calls.find((each) => each.method === method && each.pattern.test(path));
  if (answer.status >= 400) return refusalFaults(call, answer);
  const response = call?.responses[answer.status];
  if (!call || !response) return ['no operation declares this status'];
  const type = answer.headers.get('Content-Type') ?? '';
  if (!response.content) return answer.text === '' ? [] : ['the body must be empty'];
  if (STREAMED.test(type))
    return (type.split(';')[0] as string) in response.content ? [] : [`${type} is not declared`];
  const pointer = `${call.pointer}/responses/${answer.status}/content/application~1json/schema`;
  const check = validator(pointer);
  return check(answer.body) ? [] : inWords(check);
}

function refusalFaults(call: Call | undefined, answer: ReceivedAnswer): string[] {
  const envelope = validator('public#/components/schemas/Error');
  if (!envelope(answer.body)) return inWords(envelope);
  const { error } = answer.body as {
    error: { code: keyof typeof ERROR_CATALOGUE; request_id: string };
  };
  const faults: string[] = [];
  if (ERROR_CATALOGUE[error.code].status !== answer.status) {
    faults.push('the status is not the code’s');
  }
  if (error.request_id !== answer.headers.get('X-Request-Id')) {
    faults.push('request_id is not X-Request-Id');
  }
  if (
    call &&
    !BEFORE_ANY_ROW.has(answer.status) &&
    !codesOf(call, answer.status).includes(error.code)
  ) {
    faults.push(`the row does not name ${error.code}; add it to its \`errors\``);
  }
  return faults;
}

function codesOf({ document, responses }: Call, status: number): string[] {
  const name = responses[status]?.$ref?.split('/').at(-1);
  const response = document.components.responses[name];
  return Object.keys(response?.content['application/json'].examples ?? {});
}

/** Returns the operations of a document, concrete paths first; registers the document with ajv as `name`. */
function callsOf(name: string, document: Document): Call[] {
  ajv.addSchema(closedSchema({ ...document, $id: name }), name, false, false);
  return Object.entries<Document>(document.paths)
    .sort(([one], [other]) => one.split('{').length - other.split('{').length)
    .flatMap(([path, item]) =>
      ['get', 'post', 'put', 'patch', 'delete']
        .filter((method) => method in item)
        .map((method) => ({
          method: method.toUpperCase(),
          pattern: patternOf(path),
          document,
          pointer: `${name}#/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}`,
          responses: item[method].responses,
        })),
    );
}

/** Returns the pattern of a path; public paths also work under `/api/v1`. */
function patternOf(path: string): RegExp {
  const pinned = path.replace(/^\/api\/(?!partner\/)/, '/api/(?:v1/)?');
  return new RegExp(`^${pinned.replace(/\{\w+\}/g, '[^/]+')}$`);
}

const validators = new Map<string, ValidateFunction>();

function validator(pointer: string): ValidateFunction {
  const known = validators.get(pointer);
  if (known) return known;
  const compiled = ajv.compile({ $ref: encodeURI(pointer) });
  validators.set(pointer, compiled);
  return compiled;
}

const inWords = (check: ValidateFunction): string[] =>
  (check.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
