import type { ApiDocument, DocumentOperation, Parameter, Schema } from './document.ts';
import { type MethodName, methodName } from './method-name.ts';
import { nameOfRef } from './type-text.ts';

/** An endpoint with everything needed to generate its method. */
export interface ReadOperation {
  name: MethodName;
  operationId: string;
  method: string;
  path: string;
  text: string;
  deprecated: boolean;
  pathParameters: readonly Parameter[];
  queryParameters: readonly Parameter[];
  body: Schema | undefined;
  /** Undefined if the response is empty. */
  answer: Schema | undefined;
  /** Takes an `Idempotency-Key`. */
  keyed: boolean;
  csv: boolean;
  pdf: boolean;
  /** The response field with a page's items, and the parameter that selects the next page. */
  pages: { items: string; cursor: string } | undefined;
}

const KEY = '#/components/parameters/IdempotencyKey';
const CURSORS = ['cursor', 'after_id'];

/** The prefix that the client adds to every path. */
const BASE = '/api/partner';

/** Reads the endpoints of the document. */
export function readOperations(document: ApiDocument): ReadOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) =>
      readOperation(method.toUpperCase(), belowBase(path), operation, document),
    ),
  );
}

function belowBase(path: string): string {
  if (!path.startsWith(`${BASE}/`)) throw new Error(`${path} is not below ${BASE}`);
  return path.slice(BASE.length);
}

function readOperation(
  method: string,
  path: string,
  operation: DocumentOperation,
  document: ApiDocument,
): ReadOperation {
  const parameters = operation.parameters ?? [];
  const named = parameters.filter(({ $ref }) => $ref === undefined);
  const query = named.filter((each) => each.in === 'query');
  const [, success] =
    Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? [];
  const answer = success?.content?.['application/json']?.schema;
  const read: ReadOperation = {
    name: methodName(operation.operationId),
    operationId: operation.operationId,
    method,
    path,
    text: `${operation.summary}.\n\n${operation.description}`,
    deprecated: operation.deprecated ?? false,
    pathParameters: named.filter((each) => each.in === 'path'),
    queryParameters: query,
    body: operation.requestBody?.content['application/json']?.schema,
    answer,
    keyed: parameters.some(({ $ref }) => $ref === KEY),
    csv: success?.content?.['text/csv'] !== undefined,
    pdf: success?.content?.['application/pdf'] !== undefined,
    pages: pagesOf(operation.operationId, query, answer && resolve(answer, document)),
  };
  refuseNamesakes(read, document);
  return read;
}

/** Resolves a reference to its schema. */
function resolve(schema: Schema, document: ApiDocument): Schema {
  if (schema.$ref === undefined) return schema;
  const found = document.components.schemas[nameOfRef(schema.$ref)];
  if (!found) throw new Error(`${schema.$ref} leads nowhere`);
  return found;
}

function pagesOf(operationId: string, query: readonly Parameter[], answer: Schema | undefined) {
  const cursor = query.find(({ name }) => CURSORS.includes(name))?.name;
  if (cursor === undefined || answer === undefined) return undefined;
  // Fields after the cursor are not paginated.
  const fields = Object.entries(answer.properties ?? {});
  const paged = fields.slice(
    0,
    fields.findIndex(([name]) => name === 'next_cursor'),
  );
  const lists = paged.filter(([, { type }]) => type === 'array');
  const noun = operationId.replace(/^[a-z]+/, '').toLowerCase();
  const items = lists.length === 1 ? lists[0] : lists.find(([name]) => name === noun);
  if (!items) throw new Error(`${operationId}: which field are the items in?`);
  return { items: items[0], cursor };
}

/** Rejects duplicate names: path, query and body fields form one input object. */
function refuseNamesakes(operation: ReadOperation, document: ApiDocument): void {
  const body = operation.body ? resolve(operation.body, document).properties : {};
  const names = [
    ...operation.pathParameters.map(({ name }) => name),
    ...operation.queryParameters.map(({ name }) => name),
    ...Object.keys(body ?? {}),
  ];
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`${operation.operationId} has two fields ${twice}`);
}
