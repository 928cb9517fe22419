import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readExamples } from '../../api/openapi/openapi-operation.ts';
import { addListing } from '../../shared/market/inventory/change-listings.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { buildSdk, inputOf, methodOf, plainEnv, type SdkProject } from '../support/sdk.ts';
import { readProjectFile } from '../support/sources.ts';
import { CORE_HELD, CORE_PROGRAM } from './core-program.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const TSC = join(PROJECT, 'node_modules/typescript/bin/tsc');
/** What runs the package; `npm run sdk:oldest` names the oldest Node that it supports. */
const NODE = process.env.SDK_NODE ?? process.execPath;
const [quickstart = '', ...snippets] = [
  ...readProjectFile('sdk/README.md').matchAll(/^```ts\n([\s\S]*?)^```$/gm),
].map(([, code = '']) => code);

/** The file that the README has its reader save the quickstart as, and run with tsx. */
const QUICKSTART_FILE = /`npx tsx (\S+)`/.exec(readProjectFile('sdk/README.md'))?.[1] ?? '';

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

/** Each method as the document shows it: its types have room for what is sent and what is answered. */
const EXAMPLES = Object.entries(readExamples().partner).map(([operationId, example]) => {
  const call = `client.${methodOf(operationId).join('.')}(${JSON.stringify(inputOf(example))})`;
  const answered = example.answer !== undefined && `answer = ${JSON.stringify(example.answer)};`;
  return `export async function ${operationId}(client: Client) {
  let answer = await ${call};
  ${answered || ''}
  return answer;
}`;
});

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
  // @ts-expect-error an order needs a buyer
  await client.orders.create({ domain: 'a.com' });
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
  [QUICKSTART_FILE]: quickstart,
  'snippets.mts': [
    AROUND_SNIPPETS,
    ...snippets.map((code, at) => `export async function example${at}() {\n${code}}`),
  ].join('\n'),
  'examples.mts': [IMPORT, ...EXAMPLES].join('\n'),
  'module.mts': IMPORT + MATTERS + MAIN,
  'commonjs.cts': IMPORT + MATTERS + MAIN,
  'require.cts': REQUIRE + MATTERS + MAIN,
  'core.mts': CORE_PROGRAM,
};
const STRICT = [
  '--target es2022 --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess'.split(' '),
  ['--types', 'node', '--typeRoots', join(PROJECT, 'node_modules/@types')],
].flat();
const MODULES = Object.keys(PROGRAMS).filter((name) => name.endsWith('.mts'));

describe('the built SDK package', () => {
  let app: TestApp;
  let project: SdkProject;
  let env: NodeJS.ProcessEnv;
  let compiled: { code: number; stdout: string };
  beforeAll(async () => {
    [project, app] = await Promise.all([buildSdk(), startTestApp()]);
    const partner = await app.partner();
    // The first Node 18 calls its fetch experimental.
    env = { ...plainEnv(), ...(process.env.SDK_NODE && { NODE_NO_WARNINGS: '1' }) };
    Object.assign(env, { BASE_URL: app.url, KEY_ID: partner.keyId, SECRET: partner.secret });
    for (const [name, text] of Object.entries(PROGRAMS)) {
      await writeFile(join(project.folder, name), text);
    }
    compiled = await compile(['--module', 'nodenext', ...Object.keys(PROGRAMS)]);
  });
  afterAll(async () => {
    await app.stop();
    await project.remove();
  });

  const compile = (args: string[]) => run([TSC, ...STRICT, ...args], process.execPath);
  const run = async (args: string[], node = NODE) => {
    const child = promisify(execFile)(node, args, { cwd: project.folder, env });
    return child.then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  };

  it('compiles in both module systems with all examples of its README and the API document', () => {
    expect(compiled).toMatchObject({ stdout: '', code: 0 });
    expect(snippets).toHaveLength(3);
  });

  it.each([
    ['Node 16 and later', ['--module', 'node16', ...Object.keys(PROGRAMS)]],
    ['a bundler', ['--module', 'esnext', '--moduleResolution', 'bundler', ...MODULES]],
  ])('has types for module resolution by %s', async (_how, args) => {
    expect(await compile(['--noEmit', ...args])).toMatchObject({ stdout: '', code: 0 });
  });

  it('signs, retries, paginates, reports errors and verifies webhooks', async () => {
    const domain = 'northernforge.com';
    await addListing(app.runtime, { environment: 'SANDBOX', domain, priceCents: 485_000 });
    env.DOMAIN = domain;
    const { stdout, stderr } = await run(['core.mjs']);
    expect([stderr, stdout.trim().split('\n')]).toEqual(['', CORE_HELD]);
  });

  it.each(['README.md', 'METHODS.md'])('includes every file that its %s links to', async (page) => {
    const { installed } = project;
    const text = await readFile(join(installed, page), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, path = '']) => path);
    const outside = links.filter(
      (path) => path.startsWith('..') || !existsSync(join(installed, path)),
    );
    expect(outside).toEqual([]);
  });

  it.each([
    ['compiled', NODE, [QUICKSTART_FILE.replace('.mts', '.mjs')]],
    ['as saved', process.execPath, ['--import', import.meta.resolve('tsx'), QUICKSTART_FILE]],
  ])('runs the quickstart of its README as pasted, %s', async (how, node, args) => {
    const domain = `${how.replace(' ', '')}coffeeshop.com`;
    await addListing(app.runtime, { environment: 'SANDBOX', domain, priceCents: 485_000 });
    const { stdout, stderr } = await run(args, node);
    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /^ord_\w+ is EXTERNALLY_PAID\n\S+coffeeshop\.com for 485000 USD, in minor units\n$/,
    );
  });

  it.each(['module.mjs', 'commonjs.cjs', 'require.cjs'])('runs as %s', async (program) => {
    const { stdout, stderr } = await run([program]);
    expect([stdout, stderr]).toEqual(['false\n', '']);
  });

  it('gives browser bundlers only a stub that throws', async () => {
    const text = `import { createClient } from '@domain-marketplace/sdk';
      try { createClient({}); } catch (error) { console.log(error.message); }`;
    await writeFile(join(project.folder, 'page.mjs'), text);
    const { stdout } = await run(['--conditions', 'browser', 'page.mjs']);
    expect(stdout).toContain('must never reach a browser');
  });

  it('packs everything it needs from a clean clone', async () => {
    const clone = await mkdtemp(join(tmpdir(), 'sdk-clone-'));
    try {
      for (const part of ['sdk', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json']) {
        const filter = (from: string) => from !== join(PROJECT, 'sdk/dist');
        await cp(join(PROJECT, part), join(clone, part), { recursive: true, filter });
      }
      await symlink(join(PROJECT, 'node_modules'), join(clone, 'node_modules'));
      const packing = { cwd: join(clone, 'sdk'), env: plainEnv() };
      const { stdout } = await promisify(execFile)('npm', ['pack', '--json'], packing);
      const [{ files }] = JSON.parse(stdout.slice(stdout.indexOf('[\n')));
      const names = files.map(({ path }: { path: string }) => path);
      const { bin, main, types, exports } = JSON.parse(readProjectFile('sdk/package.json'));
      const needed = [bin['domain-marketplace'], main, types, exports['.'].import.default];
      expect(names).toEqual(
        expect.arrayContaining(needed.map((file: string) => file.replace('./', ''))),
      );
      expect(
        names.filter((name: string) => !/^(dist\/|[A-Z]+\.md$|package\.json$)/.test(name)),
      ).toEqual([]);
    } finally {
      await rm(clone, { recursive: true, force: true });
    }
  });

  it('has an executable command', async () => {
    const { installed } = project;
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    const main = join(installed, manifest.bin['domain-marketplace']);
    expect((await stat(main)).mode & 0o111).not.toBe(0);
    expect(await readFile(main, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect((await run([main, '--help'])).stdout).toContain('domain-marketplace trigger');
    expect((await run([main, 'trigger', 'SETTLED', '--secret', ''])).stderr).toContain('SECRET');
  });
});
