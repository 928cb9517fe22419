import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';
import type { PartnerFixture } from '../../support/factories.ts';
import { givenSearchableListing } from '../../support/inventory.ts';
import { runCommand, samplesOf, testEach } from '../../support/samples.ts';

const SAMPLES = samplesOf('docs/quickstart.md');
const EXAMPLES = fileURLToPath(new URL('../../../docs/examples/quickstart', import.meta.url));
const SET_FIRST =
  'Set BASE_URL, KEY_ID and SECRET first. A marketplace on your machine keeps them in sandbox.env, in its data directory.';
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

describe('the samples of docs/quickstart.md', () => {
  let app: TestApp;
  let partner: PartnerFixture;
  let folder: string;
  beforeAll(async () => {
    app = await startTestApp();
    partner = await app.partner();
    app.runtime.clock.set(new Date());
    for (const word of ['forge', 'nest', 'harbor', 'garden', 'works']) {
      await givenSearchableListing(app.runtime, { domain: `coffee${word}.com` });
    }
    folder = mkdtempSync(join(tmpdir(), 'dm-quickstart-'));
    // npx uses tsx from here, where a reader's machine would download it.
    symlinkSync(MODULES, join(folder, 'node_modules'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await app?.stop();
  });

  it('exist in five languages', () => {
    const languages = SAMPLES.map(({ language }) => language);
    expect(languages).toEqual(['curl', 'TypeScript', 'Python', 'Go', 'PHP']);
  });

  it('print what the page shows: quote ids are signed tokens', () => {
    const page = readFileSync('docs/quickstart.md', 'utf8');
    expect(page).toMatch(/^quote {3}eyJ\S+: \d+ cents$/m);
    expect(page).toMatch(/^order {3}ord_\w+$/m);
    expect(page).not.toContain('quo_');
  });

  // Go builds its program first.
  testEach(SAMPLES, 'sell a domain when run with the command on the page', async ({ note }) => {
    const [, command = ''] = /`([^`]* quickstart\.\w+)`/.exec(note) ?? [];
    const ran = await runCommand(command, {
      cwd: folder,
      env: { BASE_URL: app.url, KEY_ID: partner.keyId, SECRET: partner.secret },
    });
    expect({ ...ran, output: '' }).toEqual({ code: 0, errors: '', output: '' });
    const swapped = await runCommand(command.split(' && ').at(-1) ?? '', {
      cwd: folder,
      env: { BASE_URL: 'http://127.0.0.1:1', KEY_ID: partner.secret, SECRET: partner.keyId },
    });
    expect(swapped.code).not.toBe(0);
    expect(swapped.errors + swapped.output).toContain('KEY_ID is the key that starts with pk_');
    expect(swapped.errors + swapped.output).not.toContain(partner.secret);
    const [, domain = '', orderId = ''] =
      /^search {2}(\S+)\nquote {3}eyJ\S+: 485000 cents\norder {3}(\S+)\nstatus {2}EXTERNALLY_PAID\n$/.exec(
        ran.output,
      ) ?? [];
    const { body } = await app.as(partner).get(`/v1/orders/${orderId}`).expect(200);
    expect(domain).toMatch(/^coffee\w+\.com$/);
    expect(body).toMatchObject({ domain, sale_price_cents: 485_000, status: 'EXTERNALLY_PAID' });
  });

  testEach(SAMPLES, 'name the settings they need if one is missing', async ({ note }) => {
    const [, runner = '', file = ''] = /&& ([^`]*)(quickstart\.\w+)`/.exec(note) ?? [];
    const command = `${runner}${join(EXAMPLES, file)}`;
    for (const missing of ['BASE_URL', 'KEY_ID', 'SECRET']) {
      const given = { BASE_URL: app.url, KEY_ID: partner.keyId, SECRET: partner.secret };
      const ran = await runCommand(command, { cwd: folder, env: { ...given, [missing]: '' } });
      expect(ran.code).toBe(1);
      const [first, ...more] = ran.errors.trimEnd().split('\n');
      expect(first).toContain(SET_FIRST);
      // Go prints the exit code.
      expect(more.filter((line) => line !== 'exit status 1')).toEqual([]);
    }
  });

  testEach(SAMPLES, 'say why a request was rejected', async ({ note }) => {
    const [, runner = '', file = ''] = /&& ([^`]*)(quickstart\.\w+)`/.exec(note) ?? [];
    const ran = await runCommand(`${runner}${join(EXAMPLES, file)}`, {
      cwd: folder,
      // With a trailing slash, as URLs are often copied.
      env: {
        BASE_URL: `${app.url}/`,
        KEY_ID: partner.keyId,
        SECRET: 'sk_sandbox_of-somebody-else',
      },
    });
    expect(ran.code).not.toBe(0);
    expect(ran.errors + ran.output).toMatch(/domains\/search: .*invalid_signature/);
  });

  it.each(SAMPLES)('contain every part of a signed request: $language', ({ code }) => {
    const names = ['Key-Id', 'Timestamp', 'Nonce', 'Signature'].map((name) => `X-Service-${name}`);
    expect([...names, 'Idempotency-Key', 'v1='].filter((name) => !code.includes(name))).toEqual([]);
  });
});
