import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { VERSION } from '../../sdk/src/version.ts';
import { addListing } from '../../shared/market/inventory/change-listings.ts';
import { startWorkers, type WorkerProcess } from '../../workers/start-workers.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { buildSdk, plainEnv, type SdkProject, sdkClient } from '../support/sdk.ts';
import { freePort } from '../support/service-process.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

/** A command that runs, line by line. */
interface Running {
  child: ChildProcess;
  out: string[];
  notes: string[];
  /** The exit code. */
  ended: Promise<number | null>;
}

describe('the SDK command line', () => {
  let app: TestApp;
  let project: SdkProject;
  let fleet: WorkerProcess;
  let partner: Awaited<ReturnType<TestApp['partner']>>;
  const running: Running[] = [];
  beforeAll(async () => {
    const env = { outboxPollMs: 50, TRANSFER_POLICY_SANDBOX: 'manual' };
    [project, app] = await Promise.all([buildSdk(), startTestApp(env)]);
    fleet = startWorkers(app.runtime, { queues: ['webhooks', 'maintenance'] });
    partner = await app.partner();
    // The first is for the command to find, the others are named by the tests.
    const domains = [
      'coffeecorner.com',
      'hold-coffee.com',
      'oak.com',
      'elm.com',
      'ash.com',
      'fir.com',
      'yew.com',
      'pine.com',
      'gum.com',
    ];
    for (const domain of domains) {
      await addListing(app.runtime, { environment: 'SANDBOX', domain, priceCents: 10_000 });
    }
  });
  afterEach(async () => {
    for (const { child, ended } of running.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
  });
  afterAll(async () => {
    await fleet.stop();
    await app.stop();
    await project.remove();
  });

  const start = (args: string[], keys: Record<string, string> = accessOf(partner)): Running => {
    const main = join(project.installed, 'dist/esm/cli/main.js');
    const child = spawn(main, args, {
      env: { ...plainEnv(), ...keys },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const out: string[] = [];
    const notes: string[] = [];
    createInterface(child.stdout).on('line', (line) => out.push(line));
    createInterface(child.stderr).on('line', (line) => notes.push(line));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const started = { child, out, notes, ended };
    running.push(started);
    return started;
  };
  const accessOf = ({ keyId, secret }: { keyId: string; secret: string }) => ({
    BASE_URL: app.url,
    KEY_ID: keyId,
    SECRET: secret,
  });
  const run = async (args: string[], keys?: Record<string, string>) => {
    const { out, notes, ended } = start(args, keys);
    return { code: await ended, out: out.join('\n'), notes: notes.join('\n') };
  };

  it('sign prints a curl command that the service accepts', async () => {
    const search = await run(['sign', 'GET', '/v1/domains/search', '--query', "q=coffee (it's)"]);
    const quote = await run(['sign', 'post', '/v1/quotes', '--data', '{"domain": "oak.com"}']);
    expect(await shell(search.out)).toContain('"results"');
    expect(JSON.parse(await shell(quote.out))).toMatchObject({ domain: 'oak.com' });
    // The nonce is used up.
    expect(await shell(quote.out)).toContain('replay_detected');
    const canonical = await run(['sign', 'GET', '/v1/orders?status=PAID&limit=1', '--canonical']);
    expect(canonical.out.split('\n').slice(0, 3)).toEqual([
      'GET',
      '/api/partner/v1/orders',
      'limit=1&status=PAID',
    ]);
    const based = { ...accessOf(partner), BASE_URL: `${app.url}/api/partner/v1` };
    const same = await run(['sign', 'GET', '/api/partner/v1/orders'], based);
    expect(await shell(same.out)).toContain('"orders"');
    expect([search.code, quote.code, canonical.code]).toEqual([0, 0, 0]);
  });

  it('listen registers an endpoint, prints verified events and cleans up on Ctrl-C', async () => {
    const client = sdkClient(app, partner);
    const listener = start(['listen', '--register']);
    await eventually(() => listener.notes.some((note) => note.startsWith('Listening at')));
    const pinged = await run(['trigger', 'webhook.ping'], accessOf(partner));
    expect([pinged.code, pinged.out]).toEqual([
      0,
      expect.stringContaining('is on its way to listen'),
    ]);
    await eventually(() => listener.out.some((line) => line.includes('webhook.ping')));

    const { endpoints } = await client.webhookEndpoints.list();
    const { url } = endpoints[0] ?? { url: '' };
    const forged = await fetch(url, { method: 'POST', body: '{}' });
    expect(forged.status).toBe(401);
    await eventually(() => listener.notes.some((note) => note.startsWith('refused')));

    listener.child.kill('SIGINT');
    expect(await listener.ended).toBe(0);
    expect((await client.webhookEndpoints.list()).endpoints).toEqual([]);
    const nobody = await run(['trigger', 'webhook.ping'], accessOf(partner));
    expect(nobody.code).not.toBe(0);
    expect(nobody.notes).toContain('listen --register');
  });

  it('listen forwards the chosen events since a given time and restores a replaced endpoint', async () => {
    const other = await app.partner();
    const keys = accessOf(other);
    const client = sdkClient(app, other);
    const recorded = await run(
      ['trigger', 'order.recorded', '--domain', 'yew.com', '--json'],
      keys,
    );
    const { public_id } = JSON.parse(recorded.out);
    const receiver = await startWebhookReceiver();
    receiver.answer({ status: 204 });
    const since = start(
      ['listen', '--forward-to', receiver.url, '--events', 'order.*', '--since', '1h', '--json'],
      keys,
    );
    await eventually(() => since.out.some((line) => line.includes(public_id)));
    await receiver.waitFor(1);
    expect(since.notes.join('\n')).toMatch(/Created the endpoint .* for order\.\*/);
    await eventually(() => since.notes.some((note) => note.startsWith('204  order.recorded')));
    since.child.kill('SIGINT');
    expect(await since.ended).toBe(0);
    expect((await client.webhookEndpoints.list()).endpoints).toEqual([]);

    const secret = 'a-secret-of-sixteen-or-more';
    await client.webhookEndpoints.register({ url: receiver.url, secret });
    const replacing = start(['listen', '--replace', '--webhook-secret', secret], keys);
    await eventually(() => replacing.notes.some((note) => note.startsWith('Listening at')));
    expect((await client.webhookEndpoints.get()).url).not.toBe(receiver.url);
    replacing.child.kill('SIGINT');
    expect(await replacing.ended).toBe(0);
    expect((await client.webhookEndpoints.get()).url).toBe(receiver.url);
    expect(replacing.notes.at(-1)).toBe(`The endpoint "default" points to ${receiver.url} again.`);
    await receiver.close();
  });

  it('listen leaves events from before its start to the endpoint that it replaces', async () => {
    const other = await app.partner();
    const keys = accessOf(other);
    const client = sdkClient(app, other);
    await run(['trigger', 'order.recorded', '--domain', 'pine.com', '--json'], keys);
    const secret = 'a-secret-of-sixteen-or-more';
    await client.webhookEndpoints.register({ url: 'http://127.0.0.1:40997/hook', secret });
    const listener = start(['listen', '--replace', '--webhook-secret', secret], keys);
    await eventually(() => listener.notes.some((note) => note.startsWith('Listening at')));
    const [old] = (await client.events.list({})).events;
    const { delivery_id } = await client.events.resend({ id: old?.id ?? '' });
    const left = (note: string) => note.startsWith(`left  order.recorded  ${old?.id}`);
    await eventually(() => listener.notes.some(left));
    expect(listener.out).toEqual([]);
    // Not now, says the answer: it is still on its way when the endpoint is back.
    const delivery = await eventually(
      async () =>
        (await client.deliveries.list({})).deliveries.find(({ id }) => id === delivery_id),
      (found) => (found?.attempts.length ?? 0) > 0,
    );
    expect(delivery).toMatchObject({ status: 'pending', attempts: [{ status_code: 503 }] });
    const wait = Date.parse(delivery?.next_attempt_at ?? '') - Date.now();
    expect(wait).toBeGreaterThan(30_000);
  });

  it('listen does not restore an endpoint that was changed in the meantime', async () => {
    const other = await app.partner();
    const client = sdkClient(app, other);
    const secret = 'a-secret-of-sixteen-or-more';
    await client.webhookEndpoints.register({ url: 'https://partner.example/one', secret });
    const listener = start(['listen', '--replace', '--webhook-secret', secret], accessOf(other));
    await eventually(() => listener.notes.some((note) => note.startsWith('Listening at')));
    await client.webhookEndpoints.register({ url: 'https://partner.example/two', secret });
    listener.child.kill('SIGINT');
    expect(await listener.ended).toBe(0);
    expect(listener.notes.at(-1)).toBe(
      'The endpoint "default" was changed meanwhile; it stays as it is.',
    );
    expect((await client.webhookEndpoints.get()).url).toBe('https://partner.example/two');
  });

  it('endpoints creates, lists, changes and deletes endpoints', async () => {
    const keys = accessOf(await app.partner());
    const made = await run(
      ['endpoints', 'create', '--url', 'https://partner.example/hooks', '--name', 'audit'].concat([
        '--events',
        'order.*',
        '--header',
        'X-Tenant: blue',
        '--payload',
        'thin',
      ]),
      keys,
    );
    const { id, secret, headers } = JSON.parse(made.out);
    expect([secret.slice(0, 6), headers]).toEqual(['whsec_', { 'x-tenant': null }]);
    await run(['endpoints', 'pause', id], keys);
    expect((await run(['endpoints', 'list'], keys)).out).toBe(
      `${id}  paused    audit  https://partner.example/hooks  order.*`,
    );
    await run(['endpoints', 'resume', id], keys);
    const rotated = await run(['endpoints', 'rotate-secret', id, '--overlap-hours', '0'], keys);
    expect(JSON.parse(rotated.out)).toMatchObject({ previous_secret_until: null });
    const replay = await run(['endpoints', 'replay', id, '--from', '2026-01-01'], keys);
    expect(JSON.parse(replay.out)).toMatchObject({ status: 'queued', endpoint_id: id });
    expect(JSON.parse((await run(['endpoints', 'delete', id], keys)).out)).toEqual({
      id,
      deleted: true,
    });
    expect(await run(['endpoints', 'frobnicate'], keys)).toMatchObject({ code: 2 });
    expect((await run(['endpoints', 'get', id], keys)).notes).toContain('not_found');
  });

  it('trigger finds a domain, records an order and advances it to settlement', async () => {
    const { code, out } = await run(['trigger', 'SETTLED']);
    const statuses = out.split('\n').map((line) => line.split('  ')[2]);
    expect(statuses).toEqual([
      'EXTERNALLY_PAID',
      'TRANSFER_IN_PROGRESS',
      'TRANSFER_COMPLETED',
      'SETTLED',
    ]);
    expect(code).toBe(0);
  });

  it('trigger advances an order to an event and explains why it cannot go back', async () => {
    const recorded = await run(['trigger', 'order.recorded', '--domain', 'elm.com', '--json']);
    const { public_id } = JSON.parse(recorded.out);
    const refunded = await run(['trigger', 'order.refunded', '--order', public_id]);
    expect(refunded.out.split('\n').at(-1)).toBe(`${public_id}  elm.com  REFUNDED`);
    const back = await run(['trigger', 'SETTLED', '--order', public_id]);
    expect(back.code).toBe(2);
    expect(back.notes).toContain('An order that is REFUNDED cannot become SETTLED.');
    const twice = await run(['trigger', 'CANCELLED', '--order', public_id]);
    expect(twice.code).toBe(1);
    expect(twice.notes).toContain('conflict');
  });

  it('clock shows and advances the sandbox time', async () => {
    const keys = accessOf(await app.partner());
    const before = await run(['clock'], keys);
    expect(before.out).toMatch(/^\S+Z {2}ready$/);
    expect((await run(['clock', 'advance', '2h'], keys)).out).toMatch(/ready$/);
    const moved = JSON.parse((await run(['clock', '--json'], keys)).out);
    expect(moved.ahead_seconds).toBeGreaterThanOrEqual(7_190);
    const ended = await run(['clock', 'advance', 'period-end', '--json'], keys);
    expect(JSON.parse(ended.out).now >= moved.settlement_period_ends_at).toBe(true);
    expect(await run(['clock', 'advance', 'yesterday'], keys)).toMatchObject({ code: 2 });
    const back = await run(['clock', 'advance', moved.now], keys);
    expect(back).toMatchObject({ code: 1, notes: expect.stringContaining('forward only') });
  });

  it('uses the sandbox time for relative times once its clock is ahead', async () => {
    const keys = accessOf(await app.partner());
    await run(['clock', 'advance', '7d'], keys);
    const recorded = await run(
      ['trigger', 'order.recorded', '--domain', 'gum.com', '--json'],
      keys,
    );
    const { public_id } = JSON.parse(recorded.out);
    const receiver = await startWebhookReceiver();
    const since = start(['listen', '--forward-to', receiver.url, '--since', '1h', '--json'], keys);
    await eventually(() => since.out.some((line) => line.includes(public_id)));
    since.child.kill('SIGINT');
    await since.ended;
    await receiver.close();

    const made = await run(['endpoints', 'create', '--url', 'https://partner.example/x'], keys);
    const { id } = JSON.parse(made.out);
    const replay = JSON.parse((await run(['endpoints', 'replay', id, '--from', '2h'], keys)).out);
    const { now } = JSON.parse((await run(['clock', '--json'], keys)).out);
    expect(Date.parse(now) - Date.parse(replay.to)).toBeLessThan(60_000);
    expect(Date.parse(replay.to) - Date.parse(replay.from)).toBe(7_200_000);
    expect(await run(['endpoints', 'replay', id, '--from', 'soon'], keys)).toMatchObject({
      code: 2,
      notes: expect.stringContaining('--from is a date, a date-time, or 30m, 2h, 7d.'),
    });
  });

  it('trigger puts an order on hold for review', async () => {
    const { out } = await run(['trigger', 'MANUAL_REVIEW']);
    expect(out).toMatch(/^ord_\w+ {2}hold-coffee\.com {2}MANUAL_REVIEW$/);
  });

  it('events tail prints the history and follows new events', async () => {
    const fresh = await app.partner();
    const keys = accessOf(fresh);
    await run(['trigger', 'order.recorded', '--domain', 'ash.com'], keys);
    const tail = start(['events', 'tail', '--interval-ms', '100'], keys);
    await eventually(() => tail.out.some((line) => line.includes('order.recorded')));
    const late = start(['events', 'tail', '--new', '--json', '--limit', '1'], keys);
    await eventually(() => late.notes.some((note) => note.startsWith('Waiting')));
    await run(['trigger', 'order.recorded', '--domain', 'fir.com'], keys);
    await eventually(() => tail.out.some((line) => line.includes('fir.com')));
    expect(await late.ended).toBe(0);
    expect(late.out.map((line) => JSON.parse(line).data.order.domain)).toEqual(['fir.com']);
    tail.child.kill('SIGINT');
    expect(await tail.ended).toBe(0);
  });

  it('explains errors, with exit code 2 for usage and 1 when the service rejects a call', async () => {
    expect(await run([])).toMatchObject({ code: 0, out: expect.stringContaining('events tail') });
    expect(await run(['sing'])).toMatchObject({
      code: 2,
      notes: expect.stringMatching(/^Unknown command: sing\n/),
    });
    expect((await run(['events', 'tial'])).notes).toMatch(/^Unknown command: events tial\n/);
    for (const args of [
      ['listen', 'webhooks'],
      ['events', 'tail', 'all'],
      ['trigger', 'PAID', 'x'],
    ]) {
      expect(await run(args)).toMatchObject({
        code: 2,
        notes: expect.stringContaining(`Unknown argument: ${args.at(-1)}`),
      });
    }
    expect(await run(['--version'])).toMatchObject({ code: 0, out: VERSION });
    expect(await run(['trigger', 'PAID'])).toMatchObject({
      code: 2,
      notes: expect.stringContaining('Unknown status or event: PAID.'),
    });
    const none = { BASE_URL: '', KEY_ID: '', SECRET: '' };
    expect(await run(['trigger', 'SETTLED'], none)).toMatchObject({
      code: 2,
      notes: expect.stringContaining('Give --base-url, or set BASE_URL.'),
    });
    const swapped = { ...none, BASE_URL: app.url, KEY_ID: 'sk_live_abc', SECRET: 'pk_live_def' };
    for (const args of [
      ['sign', 'GET', '/v1/orders'],
      ['events', 'tail'],
    ]) {
      const answer = await run(args, swapped);
      expect([answer.code, answer.out]).toEqual([2, '']);
      expect(answer.notes).toContain('The key ID is the one that starts with pk_');
      expect(answer.notes).not.toMatch(/abc|def/);
    }
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    expect(await run(['events', 'tail', '--base-url', nowhere])).toMatchObject({
      code: 1,
      notes: expect.stringContaining(`GET ${nowhere}/api/partner/v1/events: the service could not`),
    });
    const { port } = new URL(app.url);
    expect(await run(['listen', '--webhook-secret', 'a-secret', '--port', port])).toMatchObject({
      code: 2,
      notes: expect.stringContaining(`Port ${port} is in use. Choose another with --port.`),
    });
    const refused = await run(['events', 'tail', '--secret', 'another']);
    expect(refused.code).toBe(1);
    expect(refused.notes).toMatch(/invalid_signature, request req_/);
  });
});

/** What a pasted command prints. */
async function shell(command: string): Promise<string> {
  const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) printed += chunk;
  return printed;
}
