import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { createClient } from '../../sdk/src/client.ts';
import {
  ConnectionError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from '../../sdk/src/errors.ts';
import type { AttemptReport, ClientOptions } from '../../sdk/src/options.ts';
import { signatureHeaders } from '../../sdk/src/sign.ts';
import { eventually } from '../support/eventually.ts';
import { type FlakyServer, refusal, startFlakyServer } from '../support/flaky-server.ts';
import { freePort } from '../support/service-process.ts';

const SALE = { domain: 'neonwallet.com', expected_price: 1, buyer: { email: 'b@example.com' } };
const FINE = { status: 200, body: { orders: [], next_cursor: null } };

describe('SDK retries', () => {
  let server: FlakyServer;
  let reports: AttemptReport[];
  beforeAll(() => {
    // Back-off is spread between half and all of its step.
    jest.spyOn(Math, 'random').mockReturnValue(-0.99);
  });
  beforeEach(async () => {
    reports = [];
    // A request that its test has given up may arrive during the next one.
    server = await startFlakyServer();
  });
  afterEach(() => server.close());
  afterAll(() => {
    jest.restoreAllMocks();
  });

  const client = (options: Partial<ClientOptions> = {}) =>
    createClient({
      baseUrl: server.url,
      keyId: 'pk_sandbox_example',
      secret: 'sk_sandbox_example',
      onAttempt: (report) => reports.push(report),
      ...options,
    });
  const headersSent = (name: string) => server.requests.map(({ headers }) => headers[name]);

  it.each([500, 502, 503, 504, 429])('repeats a read after %d', async (status) => {
    server.react(refusal(status, 'internal_error'), FINE);
    expect(await client().orders.list()).toEqual(FINE.body);
    expect(reports.map((report) => report.status)).toEqual([status, 200]);
  });

  it('ends a list when an answer has no next page', async () => {
    server.react({ status: 200, body: {} });
    const pages: unknown[] = [];
    for await (const page of client().orders.list.pages()) pages.push(page);
    expect(pages).toEqual([{}]);
  });

  it('repeats a read after a broken connection with a new signature and nonce', async () => {
    server.react('break', 'break', FINE);
    await client().orders.list();
    expect(new Set(headersSent('x-service-nonce')).size).toBe(3);
    expect(new Set(headersSent('x-service-signature')).size).toBe(3);
  });

  it('repeats an order with the same generated idempotency key', async () => {
    server.react('break', refusal(500, 'internal_error'), { status: 201, body: { a: 1 } });
    expect(await client().orders.create(SALE)).toEqual({ a: 1 });
    const [key, ...others] = headersSent('idempotency-key');
    expect(key).toMatch(/^[0-9a-f-]{36}$/);
    expect(others).toEqual([key, key]);
    expect(new Set(server.requests.map(({ body }) => body)).size).toBe(1);
    await client().orders.create(SALE);
    expect(server.requests.at(-1)?.headers['idempotency-key']).not.toBe(key);
  });

  it('keeps an idempotency key that it was given', async () => {
    server.react('break', { status: 201 });
    await client().orders.create(SALE, { idempotencyKey: 'sale-1001' });
    expect(headersSent('idempotency-key')).toEqual(['sale-1001', 'sale-1001']);
  });

  it('does not repeat a write without a key when it may have been processed', async () => {
    for (const reaction of ['break', refusal(500, 'internal_error')] as const) {
      server.react(reaction);
      await expect(client().quotes.create({ domain: 'a.com' })).rejects.toThrow();
      expect(server.requests).toHaveLength(1);
    }
  });

  it('repeats any write that was rejected before it was processed', async () => {
    server.react(refusal(503, 'service_unavailable'), refusal(429, 'rate_limited'), FINE);
    await client().quotes.create({ domain: 'a.com' });
    expect(server.requests).toHaveLength(3);
    const nobody = client({ baseUrl: `http://127.0.0.1:${await freePort()}` });
    await expect(nobody.quotes.create({ domain: 'a.com' })).rejects.toBeInstanceOf(ConnectionError);
    expect(reports.slice(-4).map(({ status }) => status)).toEqual(Array(4).fill(undefined));
  });

  it.each([400, 401, 403, 404, 409, 422])(
    'does not repeat a call rejected with %d',
    async (status) => {
      server.react(refusal(status, 'conflict'));
      await expect(client().orders.list()).rejects.toMatchObject({
        status,
        requestId: 'req_of_the_test',
      });
      expect(server.requests).toHaveLength(1);
    },
  );

  it('gives up after three or the configured number of retries and throws the last error', async () => {
    server.react(refusal(500, 'internal_error'));
    await expect(client().orders.list()).rejects.toBeInstanceOf(ServerError);
    expect(server.requests).toHaveLength(4);
    server.react(refusal(500, 'internal_error'));
    await expect(client().orders.list({}, { maxRetries: 0 })).rejects.toThrow('req_of_the_test');
    expect(server.requests).toHaveLength(1);
    expect(reports.at(-1)?.retryInMs).toBeUndefined();
  });

  it('waits for Retry-After, or gives up when it is too long', async () => {
    server.react(refusal(429, 'rate_limited', { 'Retry-After': '1' }), FINE);
    await client().orders.list();
    expect(reports[0]?.retryInMs).toBe(1_000);
    server.react(refusal(429, 'rate_limited', { 'Retry-After': '61' }));
    const refused = await client()
      .orders.list()
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RateLimitError);
    expect((refused as RateLimitError).retryAfterMs).toBe(61_000);
    expect(server.requests).toHaveLength(1);
  });

  it('accepts an HTTP date in Retry-After', async () => {
    const soon = new Date(Date.now() + 30_000).toUTCString();
    server.react(refusal(503, 'service_unavailable', { 'Retry-After': soon }));
    const refused = await client({ maxWaitMs: 10 })
      .orders.list()
      .catch((error: unknown) => error);
    expect((refused as ServerError).retryAfterMs).toBeGreaterThan(20_000);
  });

  it('aborts a slow attempt and retries it', async () => {
    server.react('hang', FINE);
    await client().orders.list({}, { timeoutMs: 2_000 });
    expect(server.requests).toHaveLength(2);
    server.react('hang');
    const late = client({ maxRetries: 0, timeoutMs: 50 }).orders.list();
    await expect(late).rejects.toBeInstanceOf(TimeoutError);
  });

  it('stops with the reason of the abort signal before, during and between attempts', async () => {
    const during = new AbortController();
    server.react('hang');
    const hanging = client({ onAttempt: () => {} }).orders.list({}, { signal: during.signal });
    hanging.catch(() => {});
    await eventually(() => server.requests.length === 1);
    during.abort(new Error('enough'));
    await expect(hanging).rejects.toThrow('enough');

    const waiting = new AbortController();
    server.react(refusal(429, 'rate_limited', { 'Retry-After': '50' }));
    const abortInWait = { onAttempt: () => setImmediate(() => waiting.abort(new Error('enough'))) };
    const waits = client(abortInWait).orders.list({}, { signal: waiting.signal });
    await expect(waits).rejects.toThrow('enough');
    expect(server.requests).toHaveLength(1);

    server.react(FINE);
    const before = client().orders.list({}, { signal: AbortSignal.abort() });
    await expect(before).rejects.toMatchObject({ name: 'AbortError' });
    expect(server.requests).toHaveLength(0);
  });

  it('repeats a read whose answer was cut off', async () => {
    server.react({ status: 200, text: '{"orders": [', unfinished: true }, FINE);
    expect(await client().orders.list()).toEqual(FINE.body);
  });

  it('streams a report and throws when it is cut off', async () => {
    const text = 'id,domain\ntxn_1,café.example\n';
    server.react({ status: 200, text, unfinished: true });
    let read = '';
    const readAll = async () => {
      for await (const piece of client().transactions.list.csv({ from: '2026-11-01' }))
        read += piece;
    };
    await expect(readAll()).rejects.toBeInstanceOf(ConnectionError);
    expect(read).toBe(text);
    expect(server.requests.map(({ headers }) => headers.accept)).toEqual(['text/csv']);
  });

  it('stops a report midway when its signal is aborted', async () => {
    const enough = new AbortController();
    server.react({ status: 200, text: 'id\n' });
    const readAll = async () => {
      const options = { signal: enough.signal };
      for await (const _ of client().payouts.list.csv({}, options))
        enough.abort(new Error('enough'));
    };
    await expect(readAll()).rejects.toThrow('enough');
  });

  it.each([
    ['a proxy error page', { status: 502, text: '<html>Bad gateway</html>' }],
    ['a truncated response', { status: 200, text: '{"orders": [' }],
    ['a redirect', { status: 302, headers: { Location: 'http://elsewhere.example/' } }],
  ])('throws unexpected_answer for %s', async (_what, reaction) => {
    server.react(reaction);
    const answer = client({ maxRetries: 0 }).orders.list();
    await expect(answer).rejects.toMatchObject({
      code: 'unexpected_answer',
      status: reaction.status,
    });
  });

  it('follows cursors with the same filters', async () => {
    const page = (orders: unknown[], next_cursor: string | null) => ({
      status: 200,
      body: { orders, next_cursor },
    });
    server.react(page([1], 'c1'), page([], 'c2'), page([2, 3], null));
    const found: unknown[] = [];
    for await (const order of client().orders.list.all({ status: 'PAID,SETTLED' }))
      found.push(order);
    expect(found).toEqual([1, 2, 3]);
    expect(server.requests.map(({ url }) => url.split('?')[1])).toEqual([
      'status=PAID%2CSETTLED',
      'cursor=c1&status=PAID%2CSETTLED',
      'cursor=c2&status=PAID%2CSETTLED',
    ]);
  });
});

describe('createClient', () => {
  const keys = { keyId: 'pk_live_example', secret: 'sk_live_example' };

  it('rejects invalid options and says what to correct', () => {
    expect(() => createClient({ ...keys, baseUrl: '' })).toThrow('needs baseUrl');
    expect(() => createClient({ ...keys, baseUrl: 'market' })).toThrow('must be a URL');
    expect(() => createClient({ ...keys, baseUrl: 'ftp://m.example' })).toThrow('http');
    expect(() => createClient({ ...keys, secret: '', baseUrl: 'https://m.example' })).toThrow(
      'secret',
    );
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'rejects a timeout of %p, for the client and for a call',
    async (timeoutMs) => {
      const given = { ...keys, baseUrl: 'https://m.example' };
      expect(() => createClient({ ...given, timeoutMs })).toThrow('timeoutMs must be');
      const call = createClient(given).orders.list({}, { timeoutMs });
      await expect(call).rejects.toThrow('timeoutMs must be');
    },
  );

  it('never sends a secret in place of the key ID', () => {
    const swapped = { keyId: 'sk_live_abc', secret: 'pk_live_def' };
    const sent: unknown[] = [];
    const fetch = async (...call: unknown[]) => {
      sent.push(call);
      return new Response('{}');
    };
    const request = { method: 'GET', path: '/', query: [], body: undefined, nowMs: 0 };
    for (const wrong of [
      swapped,
      { ...keys, keyId: keys.secret },
      { ...keys, secret: keys.keyId },
      { ...keys, keyId: 'x' },
    ]) {
      for (const use of [
        () => createClient({ ...wrong, baseUrl: 'https://m.example', fetch: fetch as never }),
        () => signatureHeaders(wrong, request),
      ]) {
        expect(use).toThrow(/starts with pk_/);
        expect(use).not.toThrow(/abc|def|example/);
      }
    }
    expect(sent).toEqual([]);
  });

  it('requires https for live keys, except on localhost', () => {
    expect(() => createClient({ ...keys, baseUrl: 'http://m.example' })).toThrow('https only');
    expect(() => createClient({ ...keys, baseUrl: 'http://localhost:3000' })).not.toThrow();
    const sandbox = { keyId: 'pk_sandbox_x', secret: 'x', baseUrl: 'http://m.example' };
    expect(() => createClient(sandbox)).not.toThrow();
  });

  it('refuses to run in a browser page or worker', async () => {
    const here = globalThis as { document?: unknown; importScripts?: unknown };
    for (const sign of ['document', 'importScripts'] as const) {
      here[sign] = {};
      try {
        const create = () => createClient({ ...keys, baseUrl: 'https://m.example' });
        expect(create).toThrow('must never reach a browser');
      } finally {
        delete here[sign];
      }
    }
    const browser = await import('../../sdk/src/browser.ts');
    const server = await import('../../sdk/src/index.ts');
    expect(Object.keys(browser).sort()).toEqual(Object.keys(server).sort());
    expect(browser.createClient).toThrow('must never reach a browser');
  });

  it('rejects an empty ID in a path', async () => {
    const client = createClient({ ...keys, baseUrl: 'https://m.example' });
    await expect(client.orders.get({ public_id: '' })).rejects.toThrow('needs public_id');
  });
});
