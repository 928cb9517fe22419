import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addListing } from '../../shared/inventory/add-listing.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { buildSdk, plainEnv, type SdkProject } from '../support/sdk.ts';
import { readProjectFile } from '../support/sources.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const TSC = join(PROJECT, 'node_modules/typescript/bin/tsc');
const [quickstart = '', ...snippets] = [
  ...readProjectFile('sdk/README.md').matchAll(/^```ts\n([\s\S]*?)^```$/gm),
].map(([, code = '']) => code);

/** What the shorter examples of the README leave to the reader. */
const AROUND_SNIPPETS = `
import { type Client, type OrderInput, UnprocessableError, verifyWebhook } from '@domain-marketplace/sdk';
import type { IncomingMessage } from 'node:http';
declare const client: Client;
declare const sale: OrderInput;
declare const quoteAgain: () => Promise<void>;
declare const rawBody: Buffer;
declare const request: IncomingMessage;
declare const secret: string;
`;

/** What the types must allow, and must not. */
const MATTERS = `
export function domainOf(event: WebhookEvent): string {
  switch (event.type) {
    case 'order.settled': return event.data.order.domain;
    case 'transfer.failed': return event.data.transfer.reason ?? '';
    case 'brokerage.case_completed': return event.data.case.case_id;
    // @ts-expect-error there is no such event
    case 'order.lost': return '';
    default: return event.id;
  }
}
export async function use(client: Client): Promise<ErrorCode> {
  const page = await client.orders.list({ status: 'PAID' });
  const cents: number | undefined = page.orders[0]?.sale_price_cents;
  for await (const event of client.events.list.all()) if (event.type === 'order.refunded') break;
  // @ts-expect-error an order needs a domain
  await client.orders.create({ buyer: { email: 'a@b.example' } });
  // @ts-expect-error a quote takes no key
  await client.quotes.create({ domain: 'a.com' }, { idempotencyKey: 'x' });
  // @ts-expect-error this list is no report
  client.orders.list.csv();
  return cents === 1 ? 'price_mismatch' : 'quote_expired';
}
`;
const MAIN = `
const { BASE_URL: baseUrl = '', KEY_ID: keyId = '', SECRET: secret = '' } = process.env;
createClient({ baseUrl, keyId, secret }).availability.get({ domain: 'nowhere.com' }).then(
  ({ available }) => console.log(available),
);
`;
const IMPORT = `import { createClient, type Client, type ErrorCode, type WebhookEvent } from '@domain-marketplace/sdk';`;
const REQUIRE = `
import sdk = require('@domain-marketplace/sdk');
const { createClient } = sdk;
type Client = sdk.Client;
type ErrorCode = sdk.ErrorCode;
type WebhookEvent = sdk.WebhookEvent;
`;

/** The files of a project that uses the package. */
const PROGRAMS = {
  'quickstart.mts': quickstart,
  'snippets.mts': [
    AROUND_SNIPPETS,
    ...snippets.map((code, at) => `export async function example${at}() {\n${code}}`),
  ].join('\n'),
  'module.mts': IMPORT + MATTERS + MAIN,
  'commonjs.cts': IMPORT + MATTERS + MAIN,
  'require.cts': REQUIRE + MATTERS + MAIN,
};
const STRICT =
  '--module nodenext --target es2022 --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess'.split(
    ' ',
  );

describe('the built package', () => {
  let app: TestApp;
  let project: SdkProject;
  let env: NodeJS.ProcessEnv;
  let compiled: { code: number; stdout: string };
  beforeAll(async () => {
    [project, app] = await Promise.all([buildSdk(), startTestApp()]);
    const partner = await app.partner();
    env = { ...plainEnv(), BASE_URL: app.url, KEY_ID: partner.keyId, SECRET: partner.secret };
    for (const [name, text] of Object.entries(PROGRAMS)) {
      await writeFile(join(project.folder, name), text);
    }
    const types = ['--types', 'node', '--typeRoots', join(PROJECT, 'node_modules/@types')];
    compiled = await run([TSC, ...STRICT, ...types, ...Object.keys(PROGRAMS)]);
  });
  afterAll(async () => {
    await app.stop();
    await project.remove();
  });

  const run = async (args: string[]) => {
    const child = promisify(execFile)(process.execPath, args, { cwd: project.folder, env });
    return child.then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  };

  it('compiles strictly in either module system, and so do all examples of its README', () => {
    expect(compiled).toMatchObject({ stdout: '', code: 0 });
    expect(snippets).toHaveLength(3);
  });

  it('runs the quickstart of its README as pasted', async () => {
    const domain = 'coffeeshop.com';
    await addListing(app.runtime, { environment: 'SANDBOX', domain, priceCents: 485_000 });
    const { stdout, stderr } = await run(['quickstart.mjs']);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^ord_\w+ is EXTERNALLY_PAID\ncoffeeshop\.com for 4850 USD\n$/);
  });

  it.each(['module.mjs', 'commonjs.cjs', 'require.cjs'])('runs as %s', async (program) => {
    const { stdout, stderr } = await run([program]);
    expect([stdout, stderr]).toEqual(['false\n', '']);
  });

  it('gives a bundler for browsers nothing but the refusal', async () => {
    const text = `import { createClient } from '@domain-marketplace/sdk';
      try { createClient({}); } catch (error) { console.log(error.message); }`;
    await writeFile(join(project.folder, 'page.mjs'), text);
    const { stdout } = await run(['--conditions', 'browser', 'page.mjs']);
    expect(stdout).toContain('must never reach a browser');
  });

  it('has a command that runs by itself', async () => {
    const { installed } = project;
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    const main = join(installed, manifest.bin['domain-marketplace']);
    expect((await stat(main)).mode & 0o111).not.toBe(0);
    expect(await readFile(main, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect((await run([main, '--help'])).stdout).toContain('domain-marketplace trigger');
    expect((await run([main, 'trigger', 'SETTLED', '--secret', ''])).stderr).toContain('SECRET');
  });
});
