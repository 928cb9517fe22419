import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { startWorkers } from '../../../workers/start-workers.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import type { PartnerFixture } from '../../support/factories.ts';
import { type FlakyServer, refusal, startFlakyServer } from '../../support/flaky-server.ts';
import { givenSearchableListing } from '../../support/inventory.ts';
import { using } from '../../support/machine-tools.ts';
import { givenOrder } from '../../support/orders.ts';
import { PROMPT } from '../../support/quick-fleet.ts';

/** `npm run smoke` runs it to the end. These tests cover interruptions and errors. */
using('python3').describe('docs/examples/partner.py', () => {
  let app: TestApp;
  let partner: PartnerFixture;
  let service: FlakyServer;
  let child: ChildProcess | undefined;
  beforeAll(async () => {
    [app, service] = await Promise.all([startTestApp(PROMPT), startFlakyServer()]);
    app.runtime.clock.set(new Date());
    partner = await app.partner();
    for (const word of [
      'coffee',
      'travel',
      'garden',
      'music',
      'fitness',
      'books',
      'pets',
      'design',
    ]) {
      // Each run buys one domain, so there are several for each word it may search for.
      for (const domain of [`${word}corner.com`, `${word}harbor.com`, `${word}meadow.com`]) {
        await givenSearchableListing(app.runtime, { domain });
      }
    }
  });
  afterEach(() => {
    child?.kill('SIGKILL');
  });
  afterAll(async () => {
    await service.close();
    await app.stop();
  });

  it('names the settings it needs if they are missing', () => {
    const env = { ...process.env, BASE_URL: '', KEY_ID: '', SECRET: '' };
    const ran = spawnSync('python3', ['docs/examples/partner.py'], { env, encoding: 'utf8' });
    expect(ran.stderr).toMatch(/^Set BASE_URL, KEY_ID and SECRET first\. .*sandbox\.env.*\n$/);
    expect(ran.status).toBe(1);
  });

  it('reports in one line that the service is unreachable', async () => {
    const { lines, ended } = run('http://127.0.0.1:9');
    expect(await ended).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/^FAILED: PUT \/webhooks got no answer from http:\/\/127\.0\.0\.1:9: /),
    ]);
  });

  it('rejects a webhook whose signature is not ASCII', async () => {
    // No worker delivers webhooks here, so it waits for the first one.
    const { lines, ended, started } = run(`${app.url}/`);
    await eventually(() => lines.some((line) => line.startsWith('order ')));
    const [url = ''] = lines.map((line) => /^register +(\S+)/.exec(line)?.[1]);
    const headers = { 'X-Service-Signature': 'käse' };
    expect((await fetch(url, { method: 'POST', body: '{}', headers })).status).toBe(401);
    started.kill('SIGTERM');
    await ended;
    expect(lines.join()).not.toContain('Traceback');
  });

  const run = (baseUrl: string) => {
    const { keyId, secret } = partner;
    const env = { ...process.env, BASE_URL: baseUrl, KEY_ID: keyId, SECRET: secret };
    const started = spawn('python3', ['-u', 'docs/examples/partner.py'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    const lines: string[] = [];
    for (const stream of [started.stdout, started.stderr]) {
      createInterface(stream).on('line', (line) => lines.push(line));
    }
    const ended = new Promise<number | null>((resolve) => started.once('close', resolve));
    return { lines, ended, started };
  };

  it.each(['SIGINT', 'SIGTERM'] as const)('removes its webhook endpoint on %s', async (signal) => {
    const client = app.as(partner);
    // No worker delivers webhooks here, so it waits for the first one.
    const { lines, ended, started } = run(app.url);
    await eventually(() => lines.some((line) => line.startsWith('order ')));
    await client.get('/v1/webhooks').expect(200);
    started.kill(signal);
    expect(await ended).toBe(1);
    expect(lines.at(-1)).toMatch(/^(unregister|Interrupted)/);
    expect(lines.join()).not.toContain('Traceback');
    await client.get('/v1/webhooks').expect(404);
  });

  it('verifies a statement with a sale that the marketplace collected', async () => {
    await givenOrder(app.runtime, partner, { paymentModel: 'hosted_checkout' });
    const fleet = startWorkers(app.runtime);
    const ticking = setInterval(() => app.runtime.clock.set(new Date()), 50);
    try {
      const { lines, ended } = run(app.url);
      expect([await ended, lines.at(-2)]).toEqual([
        0,
        expect.stringMatching(/^settlement .* owed$/),
      ]);
    } finally {
      clearInterval(ticking);
      await fleet.stop();
    }
  });

  it('waits for Retry-After, signs again, and cleans up after a rejected request', async () => {
    service.react(
      refusal(429, 'rate_limited', { 'Retry-After': '1' }),
      { status: 200, body: { url: 'http://127.0.0.1:9/webhooks' } },
      refusal(403, 'forbidden'),
      refusal(503, 'service_unavailable', { 'Retry-After': '0' }),
      { status: 204, text: '' },
    );
    const { lines, ended } = run(service.url);
    expect(await ended).toBe(1);
    expect(service.requests.map(({ method }) => method)).toEqual([
      'PUT',
      'PUT',
      'GET',
      'DELETE',
      'DELETE',
    ]);
    const nonces = service.requests.map(({ headers }) => headers['x-service-nonce']);
    expect(new Set(nonces).size).toBe(5);
    expect(lines).toContain('wait        1 s: PUT /webhooks answered 429');
    expect(lines.join()).toContain('FAILED: GET /v1/domains/search answered 403');
    expect(lines.join()).not.toContain('Traceback');
  });
});
