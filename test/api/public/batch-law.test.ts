import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Operation, operations } from '../../../api/public/public-operations.ts';
import { seedTlds } from '../../../db/seeds/tlds.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenListing } from '../../support/factories.ts';
import type { BatchAnswer } from '../../support/public-batch.ts';
import { tokenOfNewUser } from '../../support/tools.ts';

const GOOD_TEXT = ['com', 'de', 'uk', '.COM', 'register', 'restore', 'domain', 'kettle.com', '3'];
const BAD_TEXT = ['', ' ', 'a\u0000b', 'nowhere', 'xn--', '-1', '0', '1e3', "' or 1=1 --", '💎'];
const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...GOOD_TEXT) },
  { weight: 2, arbitrary: fc.constantFrom(...BAD_TEXT) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
);

/** A body can contain more than text. */
const anyValue = fc.oneof(
  { weight: 4, arbitrary: anyText },
  {
    weight: 2,
    arbitrary: fc.array(fc.constantFrom('com', 'net', 'nowhere', ''), { maxLength: 3 }),
  },
  { weight: 1, arbitrary: fc.constantFrom(null, 7, {}) },
);

let app: TestApp;
let aToken: string;
beforeAll(async () => {
  // A slow machine must not make a status unknown.
  app = await startTestApp({ domainSearchBudgetMs: 60_000 });
  await seedTlds(app.runtime);
  for (const domain of ['kettle.com', 'anvil.com', 'tea.de', 'spoon.net']) {
    await givenListing(app.runtime, { environment: 'LIVE', domain });
  }
  aToken = await tokenOfNewUser(app);
});
afterAll(() => app.stop());

describe('an entry of a batch', () => {
  it('has the status and body of its single call, for any call and caller', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyEntry, { minLength: 1, maxLength: 20 }),
        fc.boolean(),
        async (entries, signedIn) => {
          const token = signedIn ? aToken : undefined;
          const operations = entries.map(({ operation: { op }, params }) => ({ op, params }));
          const { body } = await app.public
            .post('/batch', { body: { operations }, ...(token && { token }) })
            .expect(200);
          const results = (body as BatchAnswer).results.map((result) => ({
            status: result.status,
            body: comparable(result.body),
          }));
          expect(results).toEqual(
            await Promise.all(entries.map((entry) => callSingly(entry, token))),
          );
        },
      ),
      { numRuns: 40 },
    );
  });
});

const anyEntry = fc.constantFrom(...operations).chain((operation) =>
  fc
    .dictionary(
      fc.constantFrom(...Object.keys(operation.paramsSchema.properties), 'none'),
      operation.route.body ? anyValue : anyText,
    )
    .filter((params) => Object.values(segmentsOf(operation, params)).every(isSegment))
    .map((params) => ({ operation, params })),
);

type Params = Record<string, unknown>;

/** The parameters that go into the path. */
function segmentsOf({ route }: Operation, params: Params): Record<string, string> {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return Object.fromEntries(names.map((name) => [name, String(params[name] ?? '')]));
}

/** Other texts would change the path. */
const isSegment = (text: string) => !['', '.', '..'].includes(text);

interface Entry {
  operation: Operation;
  params: Params;
}

async function callSingly({ operation, params }: Entry, token: string | undefined) {
  const { method, path } = operation.route;
  const segments = segmentsOf(operation, params);
  const filled = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(segments[name] ?? ''));
  const { status, body } = await app.public.request(method, filled, {
    ...(token && { token }),
    ...(method === 'GET' ? { query: params as Record<string, string> } : { body: params }),
  });
  return { status, body: comparable(body) };
}

/** Everything but the request id and whether the answer came from a cache. */
function comparable(body: Record<string, unknown>): unknown {
  const { error, cached: _cached, ...rest } = body;
  return error ? { error: { ...error, request_id: 'any' } } : rest;
}
