import { describe, expect, it } from '@jest/globals';
import { partnerDocument } from '../../api/openapi/partner-document.ts';
import { publicDocument } from '../../api/openapi/public-document.ts';
import { partnerRoutes } from '../../api/partner/partner-router.ts';
import { publicRoutes } from '../../api/public/public-router.ts';
import { schemaFaults } from '../support/declared-answers.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is read by its paths
type Document = any;

const options = { baseUrl: 'https://market.example', deprecations: [] };
const APIS = [
  ['public', publicRoutes, publicDocument(options), '/api'],
  ['partner', partnerRoutes, partnerDocument(options), '/api/partner'],
] as const satisfies readonly (readonly [string, unknown, Document, string])[];

/** A full path, as in a request line. */
const WHOLE_PATH = /^\/(api|oauth|\.well-known)(\/|$)/;

function operationsOf(document: Document): Document[] {
  return [
    ...Object.values<Document>(document.paths),
    ...Object.values<Document>(document.webhooks ?? {}),
  ].flatMap((item) => Object.values<Document>(item).filter((value) => value.operationId));
}

describe.each(APIS)('the OpenAPI document of the %s API', (api, rows, document: Document, base) => {
  const itemOf = (path: string) => document.paths[base + path.replace(/:(\w+)/g, '{$1}')];

  it('describes every route', () => {
    expect(document.openapi).toBe('3.1.1');
    const missing = rows.filter(({ method, path }) => {
      return itemOf(path)?.[method.toLowerCase()] === undefined;
    });
    expect(missing.map(({ path }) => path)).toEqual([]);
  });

  it('has one server and full paths', () => {
    expect(document.servers).toEqual([{ url: 'https://market.example' }]);
    const items = Object.entries<Document>(document.paths);
    expect(items.filter(([, item]) => item.servers)).toEqual([]);
    const short = items.map(([path]) => path).filter((path) => !WHOLE_PATH.test(path));
    expect(short).toEqual([]);
  });

  it('gives every operation a unique name, a known tag, and a summary', () => {
    const operations = operationsOf(document);
    const names = operations.map(({ operationId }) => operationId);
    expect([...new Set(names)]).toEqual(names);
    const tags = document.tags.map(({ name }: { name: string }) => name);
    const untagged = operations.filter((each) => !tags.includes(each.tags?.[0]) || !each.summary);
    expect(untagged.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('contains only examples that match their schemas', () => {
    const faults: unknown[] = [];
    let checked = 0;
    for (const { pointer, value } of examplesIn(document, '')) {
      checked += 1;
      const found = schemaFaults(api, pointer, value);
      if (found.length > 0) faults.push([pointer, value, found]);
    }
    expect(faults).toEqual([]);
    expect(checked).toBeGreaterThan(20);
  });

  it('has an example of every response (see test/support/example-calls.ts)', () => {
    const silent = rows.filter(({ method, path, responses }) => {
      const operation = itemOf(path)[method.toLowerCase()];
      return Object.entries(responses).some(
        ([status, schema]) =>
          schema && !operation.responses[status].content?.['application/json']?.example,
      );
    });
    expect(silent.map(({ operationId }) => operationId)).toEqual([]);
  });
});

/** Every example below a node with a pointer to the schema that it must match. */
function* examplesIn(
  node: Document,
  pointer: string,
): Generator<{ pointer: string; value: unknown }> {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node) && node.schema) {
    const at = `${pointer}/schema`;
    if (node.example !== undefined) yield { pointer: at, value: node.example };
    for (const { value } of Object.values<Document>(node.examples ?? {}))
      yield { pointer: at, value };
  }
  if (Array.isArray(node.examples)) {
    for (const value of node.examples) yield { pointer, value };
  }
  for (const [key, inner] of Object.entries<Document>(node)) {
    if (key === 'example' || key === 'examples') continue;
    yield* examplesIn(inner, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}
