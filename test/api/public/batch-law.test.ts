import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Operation, operations } from '../../../api/public/operations.ts';
import { seedTlds } from '../../../db/seeds/tlds.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenListing } from '../../support/factories.ts';
import type { BatchAnswer } from '../../support/public-batch.ts';

const GOOD_TEXT = ['com', 'de', 'uk', '.COM', 'register', 'restore', 'domain', 'kettle.com', '3'];
const BAD_TEXT = ['', ' ', 'a\u0000b', 'nowhere', 'xn--', '-1', '0', '1e3', "' or 1=1 --", '💎'];
const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...GOOD_TEXT) },
  { weight: 2, arbitrary: fc.constantFrom(...BAD_TEXT) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
);

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await seedTlds(app.runtime);
  for (const domain of ['kettle.com', 'anvil.com', 'tea.de', 'spoon.net']) {
    await givenListing(app.runtime, { environment: 'LIVE', domain });
  }
});
afterAll(() => app.stop());

describe('an entry of a batch', () => {
  it('has the status and the body of its single call, whatever it asks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEntry, { minLength: 1, maxLength: 20 }), async (entries) => {
        const body = {
          operations: entries.map(({ operation, params }) => ({ op: operation.op, params })),
        };
        const batch = (await app.public.post('/batch', { body, expect: 200 })).body as BatchAnswer;
        const singles = await Promise.all(entries.map(callSingly));
        expect(
          batch.results.map(({ status, body }) => ({ status, body: comparable(body) })),
        ).toEqual(singles);
      }),
      { numRuns: 40 },
    );
  }, 60_000);
});

const anyEntry = fc.constantFrom(...operations).chain((operation) =>
  fc
    .dictionary(fc.constantFrom(...Object.keys(operation.paramsSchema.properties), 'none'), anyText)
    .filter((params) => Object.values(segmentsOf(operation, params)).every(isSegment))
    .map((params) => ({ operation, params })),
);

type Params = Record<string, string>;

/** What of the parameters stands in the path. */
function segmentsOf({ route }: Operation, params: Params): Params {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return Object.fromEntries(names.map((name) => [name, params[name] ?? '']));
}

/** Other texts lead to another path. */
const isSegment = (text: string) => !['', '.', '..'].includes(text);

async function callSingly({ operation, params }: { operation: Operation; params: Params }) {
  const { route } = operation;
  const segments = segmentsOf(operation, params);
  const path = route.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(segments[name] ?? ''));
  const { status, body } = await app.public.request(route.method, path, {
    ...(route.method === 'GET' ? { query: params } : { body: params }),
  });
  return { status, body: comparable(body) };
}

/** All but the name of the request. */
function comparable(body: { error?: object }): unknown {
  return body.error ? { error: { ...body.error, request_id: 'any' } } : body;
}
