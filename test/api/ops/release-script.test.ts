import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenListing } from '../../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

const run = promisify(execFile);

/** What the `release` process of the Procfile runs. */
describe('scripts/release.sh', () => {
  let runtime: TestRuntime;
  beforeAll(async () => {
    runtime = await createTestRuntime();
  });
  afterAll(() => runtime.stop());

  const release = async () => {
    const { NODE_OPTIONS: _jestOnly, ...inherited } = process.env;
    const env = { ...inherited, ...runtime.env };
    return (await run('sh', ['scripts/release.sh'], { env })).stdout;
  };

  it('updates the schema and the search index, and rewrites nothing that is current', async () => {
    await givenListing(runtime, { environment: 'LIVE' });
    const first = await release();
    expect(first).toContain('schema is up to date');
    expect(first).toContain('{"environment":"LIVE","written":1}');
    await givenListing(runtime, { environment: 'SANDBOX' });
    const second = await release();
    expect(second).toContain('{"environment":"LIVE","written":0}');
    expect(second).toContain('{"environment":"SANDBOX","written":1}');
  });
});
