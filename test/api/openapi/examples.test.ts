import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Example,
  type Examples,
  readExamples,
} from '../../../api/openapi/openapi-operation.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { makeExampleCalls } from '../../support/example-calls.ts';
import { shapeOf } from '../../support/recorded-examples.ts';

let app: TestApp;
let made: { public: Examples; partner: Examples };
beforeAll(async () => {
  app = await startTestApp({ BASE_URL: 'https://market.example' });
  made = await makeExampleCalls(app);
  // Updates the file after an intended change of the responses.
  if (process.env.WRITE_EXAMPLES) {
    writeFileSync('api/openapi/examples.json', `${JSON.stringify(made, null, 2)}\n`);
  }
});
afterAll(() => app.stop());

const likeness = ({ status, answer, ...request }: Example) => ({
  request: shapeOf(request),
  status,
  answer: shapeOf(answer),
});

describe.each(['public', 'partner'] as const)('examples of the %s OpenAPI document', (api) => {
  it('match the requests and responses of real calls', () => {
    const documented = readExamples()[api];
    expect(Object.keys(documented).sort()).toEqual(Object.keys(made[api]).sort());
    for (const [operationId, example] of Object.entries(documented)) {
      const again = made[api][operationId];
      expect([operationId, likeness(example)]).toEqual([operationId, again && likeness(again)]);
    }
  });
});
