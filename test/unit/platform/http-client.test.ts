import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { HostAddress } from '../../../shared/platform/address-guard.ts';
import {
  createHttpClient,
  type HttpClientOptions,
  type OutboundRequest,
} from '../../../shared/platform/http-client.ts';
import {
  answer,
  drip,
  type FaultReceiver,
  flood,
  startReceiver,
  startSilentReceiver,
  startTlsReceiver,
} from '../../support/fault-receiver.ts';
import { TEST_CERTIFICATE } from '../../support/tls-fixture.ts';

const LOOPBACK: HostAddress = { address: '127.0.0.1', family: 4 };

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const action of cleanUp.splice(0).reverse()) await action();
});

async function kept(starting: Promise<FaultReceiver>): Promise<FaultReceiver> {
  const receiver = await starting;
  cleanUp.push(() => receiver.close());
  return receiver;
}

function client(options: Partial<HttpClientOptions> = {}) {
  const created = createHttpClient({ allowPrivate: true, ...options });
  cleanUp.push(() => created.close());
  return created;
}

function post(url: string, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return { method: 'POST', url, body: '{}', deadlineMs: 2_000, maxResponseBytes: 1_024, ...more };
}

const ok = (socket: Socket) => void socket.write(answer('200 OK', {}, 'fine'));

describe('a request', () => {
  it('sends the bytes it was given and returns the answer', async () => {
    const receiver = await kept(
      startReceiver((socket) => {
        socket.write(answer('201 Created', { 'X-Twice': 'a\r\nx-twice: b' }, 'fine'));
      }),
    );
    const body = Buffer.from('{"name":"Zoë"}');
    const result = await client().request(
      post(`${receiver.url}?a=1#part`, { body, headers: { 'x-service-event-id': 'evt_1' } }),
    );
    expect(result).toMatchObject({
      kind: 'response',
      status: 201,
      headers: { 'x-twice': 'a, b' },
      body: Buffer.from('fine'),
      truncated: false,
    });
    const sent = receiver.received[0] ?? '';
    expect(sent).toMatch(/^POST \/hook\?a=1 HTTP\/1\.1\r\n/);
    expect(sent).toContain(`host: 127.0.0.1:${receiver.port}\r\n`);
    expect(sent).toContain('x-service-event-id: evt_1\r\n');
    expect(sent).toContain(`content-length: ${body.length}\r\n`);
    expect(sent.endsWith(body.toString('latin1'))).toBe(true);
  });

  it('keeps connections for the next ones', async () => {
    const server = createServer((request, response) => {
      request.resume();
      response.end('fine');
    });
    let connections = 0;
    server.on('connection', () => {
      connections += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp.push(() => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    });
    const { port } = server.address() as AddressInfo;
    const resolve = jest.fn(async () => [LOOPBACK]);
    const http = client({ resolve });
    for (let i = 0; i < 20; i += 1) {
      const result = await http.request(post(`http://receiver.example:${port}/`));
      expect(result).toMatchObject({ kind: 'response', status: 200 });
    }
    // A second one may open when a request comes before the first has been handed back.
    expect(connections).toBeLessThanOrEqual(2);
    expect(resolve).toHaveBeenCalledTimes(connections);
  });

  it('opens no more connections to one origin than allowed', async () => {
    const receiver = await kept(startReceiver(() => {}));
    const http = client({ maxSocketsPerOrigin: 2 });
    const results = await Promise.all(
      Array.from({ length: 6 }, () => http.request(post(receiver.url, { deadlineMs: 200 }))),
    );
    expect(results.every((r) => r.kind === 'failure' && r.reason === 'timeout')).toBe(true);
    expect(receiver.connections).toBeLessThanOrEqual(2);
  });

  it('works again on an origin that hung before', async () => {
    let hang = true;
    const receiver = await kept(startReceiver((socket) => hang || ok(socket)));
    const http = client({ maxSocketsPerOrigin: 1 });
    await http.request(post(receiver.url, { deadlineMs: 100 }));
    hang = false;
    expect(await http.request(post(receiver.url))).toMatchObject({ kind: 'response', status: 200 });
  });

  it('ignores a proxy named in the environment', async () => {
    const proxy = await kept(startReceiver(ok));
    const receiver = await kept(startReceiver(ok));
    const before = process.env.http_proxy;
    process.env.http_proxy = proxy.url;
    try {
      await client().request(post(receiver.url));
    } finally {
      if (before === undefined) delete process.env.http_proxy;
      else process.env.http_proxy = before;
    }
    expect(receiver.connections).toBe(1);
    expect(proxy.connections).toBe(0);
  });

  it('throws for a mistake of the caller, which no retry would cure', async () => {
    const receiver = await kept(startReceiver(ok));
    await expect(
      client().request(post(receiver.url, { headers: { 'x-bad': 'a\r\nb' } })),
    ).rejects.toThrow('invalid x-bad header');
  });
});

describe('a bad receiver', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['hangs', () => {}],
    [
      'drips its head',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
        drip(socket, 'a', 20);
      },
    ],
    [
      'drips informational answers',
      (socket) => drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n', 20),
    ],
    [
      'drips its body past the deadline',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
        drip(socket, '.', 20);
      },
    ],
    [
      'answers just too late',
      (socket) => {
        const timer = setTimeout(() => ok(socket), 320);
        socket.on('close', () => clearTimeout(timer));
      },
    ],
  ])('that %s costs no more than the deadline', async (_fault, behave) => {
    const receiver = await kept(startReceiver(behave));
    const result = await client().request(post(receiver.url, { deadlineMs: 300 }));
    expect(result).toMatchObject({
      kind: 'failure',
      reason: 'timeout',
      detail: 'no complete answer within 300 ms',
    });
    expect(result.elapsedMs).toBeGreaterThanOrEqual(290);
    expect(result.elapsedMs).toBeLessThan(1_000);
    await receiver.drained();
  });

  it('that never finishes the TLS handshake costs no more than the deadline', async () => {
    const receiver = await kept(startSilentReceiver());
    const result = await client().request(
      post(`https://127.0.0.1:${receiver.port}/`, { deadlineMs: 200 }),
    );
    expect(result).toMatchObject({ kind: 'failure', reason: 'timeout' });
    expect(result.elapsedMs).toBeLessThan(1_000);
  });

  it('whose name server never answers costs no more than the deadline', async () => {
    const http = client({ allowPrivate: false, resolve: () => new Promise(() => {}) });
    const result = await http.request(post('https://hooks.example.com/', { deadlineMs: 100 }));
    expect(result).toMatchObject({ kind: 'failure', reason: 'timeout' });
    expect(result.elapsedMs).toBeLessThan(1_000);
  });

  it.each([
    ['of a known length', 'content-length: 999999999'],
    ['of no known end', 'transfer-encoding: chunked'],
    ['until the connection closes', 'connection: close'],
  ])('that sends an endless body %s is cut off, and its status counts', async (_how, header) => {
    const chunked = header.startsWith('transfer');
    const receiver = await kept(
      startReceiver((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${header}\r\n\r\n`);
        const block = 'x'.repeat(8_192);
        flood(socket, Buffer.from(chunked ? `2000\r\n${block}\r\n` : block));
      }),
    );
    const result = await client().request(post(receiver.url, { maxResponseBytes: 65_536 }));
    expect(result).toMatchObject({ kind: 'response', status: 200, truncated: true });
    expect(result.kind === 'response' && result.body.length).toBe(65_536);
    await receiver.drained();
  });

  it.each([
    [1_023, 'x'.repeat(1_023), false],
    [1_024, 'x'.repeat(1_024), false],
    [1_025, 'x'.repeat(1_024), true],
  ])('with a body of %i bytes against a cap of 1,024', async (size, body, truncated) => {
    const receiver = await kept(
      startReceiver((socket) => void socket.write(answer('200 OK', {}, 'x'.repeat(size)))),
    );
    const result = await client().request(post(receiver.url));
    expect(result).toMatchObject({ kind: 'response', body: Buffer.from(body), truncated });
  });

  it('is not decompressed, so that a small answer stays small', async () => {
    const receiver = await kept(
      startReceiver(
        (socket) => void socket.write(answer('200 OK', { 'content-encoding': 'gzip' }, 'no gzip')),
      ),
    );
    const result = await client().request(post(receiver.url));
    expect(result).toMatchObject({ kind: 'response', body: Buffer.from('no gzip') });
  });

  it.each<[string, (socket: Socket) => void]>([
    ['resets the connection', (socket) => socket.resetAndDestroy()],
    ['closes without an answer', (socket) => socket.end()],
    ['speaks something else', (socket) => void socket.end('+OK ready\r\n')],
    ['drips no HTTP', (socket) => drip(socket, 'H', 20)],
    [
      'sends endless headers',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        flood(socket, Buffer.from(`x-a: ${'a'.repeat(1_000)}\r\n`));
      },
    ],
    [
      'breaks off its body',
      (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nfine'),
    ],
    ['switches protocols unasked', (socket) => void socket.write(answer('101 Switching'))],
  ])('that %s is a failed connection', async (_fault, behave) => {
    const receiver = await kept(startReceiver(behave));
    const result = await client().request(post(receiver.url));
    expect(result).toMatchObject({ kind: 'failure', reason: 'connection_failed' });
    expect(JSON.stringify(result)).not.toMatch(/127\.0\.0\.1|at /);
  });

  it('that is not there is a failed connection', async () => {
    const receiver = await startReceiver(ok);
    await receiver.close();
    expect(await client().request(post(receiver.url))).toMatchObject({
      kind: 'failure',
      reason: 'connection_failed',
      detail: 'the connection failed (ECONNREFUSED)',
    });
  });

  it('that redirects is not followed', async () => {
    const inside = await kept(startReceiver(ok));
    for (const status of ['301 Moved', '302 Found', '303 See Other', '307 T', '308 P']) {
      const receiver = await kept(
        startReceiver((socket) => void socket.write(answer(status, { location: inside.url }))),
      );
      const result = await client().request(post(receiver.url));
      expect(result).toMatchObject({ kind: 'response', status: Number(status.slice(0, 3)) });
    }
    expect(inside.connections).toBe(0);
  });
});

describe('TLS', () => {
  it('is verified: a self-signed certificate is refused', async () => {
    const receiver = await kept(startTlsReceiver(ok));
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      expect(await client().request(post(receiver.url))).toMatchObject({
        kind: 'failure',
        reason: 'tls_failure',
        detail: 'the TLS handshake failed (DEPTH_ZERO_SELF_SIGNED_CERT)',
      });
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    }
    expect(receiver.received).toEqual([]);
  });

  it('is verified: a certificate of another name is refused', async () => {
    const receiver = await kept(startTlsReceiver(ok));
    const http = client({ ca: TEST_CERTIFICATE, resolve: async () => [LOOPBACK] });
    const { port } = receiver;
    expect(await http.request(post(`https://other.example:${port}/`))).toMatchObject({
      reason: 'tls_failure',
      detail: 'the TLS handshake failed (ERR_TLS_CERT_ALTNAME_INVALID)',
    });
    expect(receiver.received).toEqual([]);
  });

  it.each(['receiver.example', 'receiver.example.', '127.0.0.1'])(
    'works with a trusted certificate for %s',
    async (host) => {
      const receiver = await kept(startTlsReceiver(ok));
      const http = client({ ca: TEST_CERTIFICATE, resolve: async () => [LOOPBACK] });
      const result = await http.request(
        post(`https://${host}:${receiver.port}/`, { requireHttps: true }),
      );
      expect(result).toMatchObject({ kind: 'response', status: 200 });
    },
  );

  it('fails when the other side speaks plain HTTP', async () => {
    const receiver = await kept(startReceiver((socket) => void socket.end(answer('400 Bad'))));
    const result = await client().request(post(`https://127.0.0.1:${receiver.port}/`));
    expect(result).toMatchObject({ kind: 'failure', reason: 'tls_failure' });
  });
});

describe('the guard', () => {
  it.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    'localhost',
    '[::ffff:7f00:1]',
    '[::1]',
  ])('keeps %s from being reached', async (host) => {
    const inside = await kept(startReceiver(ok));
    const http = client({ allowPrivate: false, resolve: async () => [LOOPBACK] });
    const result = await http.request(post(`http://${host}:${inside.port}/`));
    expect(result).toMatchObject({ kind: 'failure', reason: 'refused_address' });
    expect(inside.connections).toBe(0);
  });

  it('keeps a name with a private address among public ones from being reached', async () => {
    const inside = await kept(startReceiver(ok));
    const mixed: HostAddress[] = [{ address: '93.184.215.14', family: 4 }, LOOPBACK];
    const http = client({ allowPrivate: false, resolve: async () => mixed });
    expect(await http.request(post(`http://hooks.example.com:${inside.port}/`))).toEqual({
      kind: 'failure',
      reason: 'refused_address',
      detail: 'the host name has an address that is not public',
      elapsedMs: expect.any(Number),
    });
    expect(inside.connections).toBe(0);
  });

  it('keeps metadata services from being reached in development too', async () => {
    const metadata: HostAddress = { address: '169.254.169.254', family: 4 };
    const http = client({ resolve: async () => [metadata] });
    for (const url of ['http://169.254.169.254/', 'http://metadata.google.internal/']) {
      expect(await http.request(post(url))).toMatchObject({ reason: 'refused_address' });
    }
  });

  it('vets a name again for each new connection', async () => {
    const receiver = await kept(
      startReceiver((socket) => void socket.end(answer('200 OK', { connection: 'close' }))),
    );
    const answers: HostAddress[][] = [[LOOPBACK], [{ address: '169.254.169.254', family: 4 }]];
    const http = client({ resolve: async () => answers.shift() ?? [] });
    const url = `http://hooks.example.com:${receiver.port}/`;
    expect(await http.request(post(url))).toMatchObject({ status: 200 });
    expect(await http.request(post(url))).toMatchObject({ reason: 'refused_address' });
    expect(await http.request(post(url))).toMatchObject({ reason: 'dns_failure' });
  });

  it('says that a name does not resolve', async () => {
    const unknown = Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
    const http = client({ resolve: () => Promise.reject(unknown) });
    expect(await http.request(post('https://nowhere.example.com/'))).toMatchObject({
      kind: 'failure',
      reason: 'dns_failure',
      detail: 'the host name did not resolve (ENOTFOUND)',
    });
  });

  it.each([
    ['no URL', 'hooks', {}],
    ['another scheme', 'ftp://hooks.example.com/', {}],
    ['credentials', 'https://a:b@hooks.example.com/', {}],
    ['plain HTTP where HTTPS is required', 'http://hooks.example.com/', { requireHttps: true }],
  ])('refuses %s before anything is sent', async (_what, url, more) => {
    const resolve = jest.fn(async () => [LOOPBACK]);
    const result = await client({ resolve }).request(post(url, more));
    expect(result).toMatchObject({ kind: 'failure', reason: 'invalid_url' });
    expect(resolve).not.toHaveBeenCalled();
  });
});

describe('giving up', () => {
  it('ends a request when the caller aborts it', async () => {
    const stop = new AbortController();
    const receiver = await kept(startReceiver(() => stop.abort()));
    const result = await client().request(post(receiver.url, { signal: stop.signal }));
    expect(result).toMatchObject({ kind: 'failure', reason: 'aborted' });
    await receiver.drained();
  });

  it('sends nothing when the caller has aborted already', async () => {
    const receiver = await kept(startReceiver(ok));
    const result = await client().request(post(receiver.url, { signal: AbortSignal.abort() }));
    expect(result).toMatchObject({ kind: 'failure', reason: 'aborted' });
    expect(receiver.connections).toBe(0);
  });

  it('ends requests under way, in whatever phase, when the client is closed', async () => {
    const receiver = await kept(startReceiver(() => void http.close()));
    const http = client({
      resolve: (host) =>
        host === 'silent.example' ? new Promise(() => {}) : Promise.resolve([LOOPBACK]),
    });
    const results = await Promise.all([
      http.request(post('http://silent.example/')),
      http.request(post(`http://hooks.example:${receiver.port}/`)),
    ]);
    for (const result of results) expect(result).toMatchObject({ reason: 'aborted' });
    await receiver.drained();
    expect(await http.request(post(receiver.url))).toMatchObject({ reason: 'aborted' });
  });
});
