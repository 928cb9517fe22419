import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { picture, startBrowser, type TestBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { givenSearchableListing } from '../support/inventory.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { freePort, type ServiceProcess, serviceProcess } from '../support/service-process.ts';

const run = promisify(execFile);
const MINUTE = 60_000;
const EMAIL = 'founder@example.com';
const PASSWORD = 'seven wet pencils on a roof';

/** What a stranger writes after reading the page on webhooks, beside the file that it offers for download. */
const RECEIVER = `
from http.server import BaseHTTPRequestHandler, HTTPServer
from verify import is_genuine_and_fresh

class Hooks(BaseHTTPRequestHandler):
    def do_POST(self):
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        secret = open("secret.txt", "rb").read()
        of = self.headers
        good = is_genuine_and_fresh(secret, raw, of["webhook-id"], of["webhook-timestamp"], of["webhook-signature"])
        print("verified" if good else "FORGED", of["X-Service-Event-Type"], flush=True)
        self.send_response(200 if good else 400)
        self.end_headers()

    def log_message(self, *args):
        pass

server = HTTPServer(("127.0.0.1", 0), Hooks)
print("http://127.0.0.1:%d/hooks" % server.server_port, flush=True)
server.serve_forever()
`;

describe('a new developer with a browser and an empty folder', () => {
  let runtime: TestRuntime;
  let browser: TestBrowser;
  let processes: ServiceProcess[];
  let baseUrl: string;
  let folder: string;
  let receiver: ChildProcess | undefined;
  beforeAll(async () => {
    const port = await freePort();
    baseUrl = `http://127.0.0.1:${port}`;
    folder = mkdtempSync(join(tmpdir(), 'stranger-'));
    runtime = await createTestRuntime({
      PORT: String(port),
      BASE_URL: baseUrl,
      MAIL: 'on',
      WEBHOOK_ALLOW_PRIVATE: 'true',
    });
    for (const domain of ['coffeeharbor.com', 'coffeemeadow.com']) {
      await givenSearchableListing(runtime, { domain });
    }
    processes = ['api/main.ts', 'workers/main.ts'].map((program) =>
      serviceProcess(program, runtime.env),
    );
    for (const each of processes) each.start();
    browser = await startBrowser();
    const isReady = () => fetch(`${baseUrl}/readyz`).then((answer) => answer.ok);
    await eventually(() => isReady().catch(() => false), Boolean);
  }, 2 * MINUTE);
  afterAll(async () => {
    receiver?.kill();
    await browser?.stop();
    await Promise.all((processes ?? []).map((each) => each.kill()));
    await runtime?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it(
    'gets an account, a key, a sale and verified webhooks within five minutes without an operator',
    async () => {
      const { page, faults } = await browser.open();
      // The account, by the link in the mail.
      await page.goto(`${baseUrl}/docs/quickstart`);
      await picture(page, 'stranger-1-quickstart');
      await page.getByRole('link', { name: 'Sign up' }).first().click();
      await page.getByLabel('Company').fill('Bluebird Domains');
      await page.getByLabel('Email address').fill(EMAIL);
      await picture(page, 'stranger-2-sign-up');
      await page.getByRole('button', { name: 'Send link' }).click();
      await page.getByRole('heading', { name: 'Check your email' }).waitFor();
      await eventually(async () => {
        await page.goto(`${baseUrl}/dev/mail`);
        return (await page.getByRole('main').getByRole('link').count()) > 0;
      });
      await page.getByRole('main').getByRole('link').first().click();
      await page.locator('pre a[href*="/account/verify"]').first().click();
      await page.getByLabel('Choose a password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Open account' }).click();

      // The key, and a sale with it by the commands of the quickstart.
      await page.getByText('Copy the secret now.').waitFor();
      await picture(page, 'stranger-3-key');
      const [keyId = '', secret = ''] = await page.locator('.notice code').allTextContents();
      expect(keyId).toMatch(/^pk_sandbox_/);
      const shell = (command: string) =>
        run('sh', ['-ec', command], {
          cwd: folder,
          env: { PATH: process.env.PATH, BASE_URL: baseUrl, KEY_ID: keyId, SECRET: secret },
        });

      // The endpoint, with the secret that the site shows.
      await shell('curl -fsSO $BASE_URL/docs/examples/verify-webhook/verify.py');
      writeFileSync(join(folder, 'receiver.py'), RECEIVER);
      receiver = spawn('python3', ['receiver.py'], {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const said: string[] = [];
      createInterface(receiver.stdout as NodeJS.ReadableStream).on('line', (line) =>
        said.push(line),
      );
      const [address = ''] = await eventually(
        () => said,
        (lines) => lines.length > 0,
      );
      await page.getByRole('link', { name: 'Your keys' }).click();
      await page.getByLabel('Email address').fill(EMAIL);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page
        .getByRole('navigation', { name: 'Partner' })
        .getByRole('link', { name: 'Webhooks', exact: true })
        .click();
      await page.getByRole('link', { name: 'Add endpoint' }).click();
      await page.getByLabel('Address').fill(address);
      await picture(page, 'stranger-4-endpoint');
      await page.getByRole('button', { name: 'Add endpoint' }).click();
      await page.getByText('Copy the secret now.').waitFor();
      const endpointSecret = await page.locator('.notice code').first().textContent();
      writeFileSync(join(folder, 'secret.txt'), endpointSecret ?? '');
      await page.getByRole('link', { name: 'I saved the secret' }).click();
      await page.getByRole('button', { name: 'Send test event' }).click();
      await eventually(
        () => said,
        (lines) => lines.includes('verified webhook.ping'),
      );
      await picture(page, 'stranger-5-first-webhook');

      const { stdout } = await shell(
        'curl -fsSO $BASE_URL/docs/examples/quickstart/quickstart.py && python3 quickstart.py',
      );
      expect(stdout).toMatch(/^status {2}EXTERNALLY_PAID$/m);
      await eventually(
        () => said,
        (lines) => lines.includes('verified order.recorded'),
      );
      expect(said.filter((line) => line.startsWith('FORGED'))).toEqual([]);
      expect(faults).toEqual([]);
    },
    5 * MINUTE,
  );
});
