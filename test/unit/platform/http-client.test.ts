import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { readAnswerHeads } from '../../../shared/platform/outbound/answer-heads.ts';
import {
  answer,
  drip,
  flood,
  startReceiver,
  startSilentReceiver,
} from '../../support/fault-receiver.ts';
import { LOOPBACK, ok, outboundBench, post } from '../../support/outbound.ts';
import { quickEnough } from '../../support/quick-enough.ts';

const { kept, client, cleanUp } = outboundBench();

/** A response with a body of four bytes. */
function withHead(lines: string): string {
  return `HTTP/1.1 200 OK\r\n${lines}\r\n\r\nfine`;
}

/** Answers every request on a connection after a short delay. */
function keepAnswering(socket: Socket) {
  const late = () => setTimeout(() => ok(socket), 10);
  late();
  socket.on('data', late);
}

describe('an HTTP request', () => {
  it('sends the bytes it was given and returns the response', async () => {
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

  it('keeps connections alive for the next requests', async () => {
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
      return new Promise((resolve) => server.close(() => resolve()));
    });
    const { port } = server.address() as AddressInfo;
    const resolve = jest.fn(async () => [LOOPBACK]);
    const http = client({ resolve });
    for (let i = 0; i < 20; i += 1) {
      const result = await http.request(post(`http://receiver.example:${port}/`));
      expect(result).toMatchObject({ kind: 'response', status: 200 });
    }
    // A second one may open if a request starts before the first connection is returned.
    expect(connections).toBeLessThanOrEqual(2);
    expect(resolve).toHaveBeenCalledTimes(connections);
  });

  it('resolves the address again after a while and finishes pending requests', async () => {
    const receiver = await kept(startReceiver(keepAnswering));
    const resolve = jest.fn(async () => [LOOPBACK]);
    const http = client({ resolve, reconnectMs: 0 });
    const send = () => http.request(post(`http://receiver.example:${receiver.port}/`));
    const first = send();
    for (let i = 0; i < 5; i += 1) expect(await send()).toMatchObject({ kind: 'response' });
    expect(await first).toMatchObject({ kind: 'response' });
    expect(resolve).toHaveBeenCalledTimes(6);
    expect(receiver.connections).toBe(6);
    await http.close();
    await receiver.drained();
  });

  it('opens no more connections to one origin than allowed', async () => {
    const receiver = await kept(startReceiver(keepAnswering));
    const http = client({ maxSocketsPerOrigin: 2 });
    const results = await Promise.all(
      Array.from({ length: 10 }, () => http.request(post(receiver.url))),
    );
    expect(results.every((r) => r.kind === 'response' && r.status === 200)).toBe(true);
    expect(receiver.connections).toBeLessThanOrEqual(2);
  });

  it('succeeds at an origin that hung before', async () => {
    let hang = true;
    const receiver = await kept(startReceiver((socket) => hang || ok(socket)));
    const http = client({ maxSocketsPerOrigin: 1 });
    await http.request(post(receiver.url, { deadlineMs: 100 }));
    hang = false;
    expect(await http.request(post(receiver.url))).toMatchObject({ kind: 'response', status: 200 });
  });

  it("throws for a caller's mistake, which no retry would fix", async () => {
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
      'drips informational responses',
      (socket) => drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n', 20),
    ],
    [
      'answers just too late',
      (socket) => {
        const timer = setTimeout(() => ok(socket), 320);
        socket.on('close', () => clearTimeout(timer));
      },
    ],
  ])('causes a timeout at the deadline if it %s', async (_fault, behave) => {
    const receiver = await kept(startReceiver(behave));
    const result = await quickEnough(1_000, () =>
      client().request(post(receiver.url, { deadlineMs: 300 })),
    );
    expect(result).toMatchObject({
      kind: 'failure',
      reason: 'timeout',
      detail: 'no complete answer within 300 ms',
    });
    expect(result.elapsedMs).toBeGreaterThanOrEqual(290);
    await receiver.drained();
  });

  it('causes a timeout at the deadline if the TLS handshake never ends', async () => {
    const receiver = await kept(startSilentReceiver());
    const result = await quickEnough(1_000, () =>
      client().request(post(`https://127.0.0.1:${receiver.port}/`, { deadlineMs: 200 })),
    );
    expect(result).toMatchObject({ kind: 'failure', reason: 'timeout' });
  });

  it('causes a timeout at the deadline if its name server never responds', async () => {
    const http = client({ allowPrivate: false, resolve: () => new Promise(() => {}) });
    const result = await quickEnough(1_000, () =>
      http.request(post('https://hooks.example.com/', { deadlineMs: 100 })),
    );
    expect(result).toMatchObject({ kind: 'failure', reason: 'timeout' });
  });

  it.each([
    ['of a known length', 'content-length: 999999999'],
    ['of unknown length', 'transfer-encoding: chunked'],
    ['until the connection closes', 'connection: close'],
  ])('is cut off if it sends an endless body %s, but its status counts', async (_how, header) => {
    const chunked = header.startsWith('transfer');
    const receiver = await kept(
      startReceiver((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${header}\r\n\r\n`);
        const block = 'x'.repeat(8_192);
        flood(socket, Buffer.from(chunked ? `2000\r\n${block}\r\n` : block));
      }),
    );
    const result = await client().request(post(receiver.url, { maxResponseBytes: 65_536 }));
    expect(result).toMatchObject({ kind: 'response', status: 200, truncated: 'too_long' });
    expect(result.kind === 'response' && result.body.length).toBe(65_536);
    await receiver.drained();
  });

  it.each([
    [1_023, 'x'.repeat(1_023), false],
    [1_024, 'x'.repeat(1_024), false],
    [1_025, 'x'.repeat(1_024), 'too_long'],
  ])('has a body of %i bytes read up to 1,024', async (size, body, truncated) => {
    const receiver = await kept(
      startReceiver((socket) => void socket.write(answer('200 OK', {}, 'x'.repeat(size)))),
    );
    const result = await client().request(post(receiver.url));
    expect(result).toMatchObject({ kind: 'response', body: Buffer.from(body), truncated });
  });

  it('does not get its response decompressed', async () => {
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
    ['speaks another protocol', (socket) => void socket.end('+OK ready\r\n')],
    ['drips bytes that are not HTTP', (socket) => drip(socket, 'H', 20)],
    [
      'sends endless headers',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        flood(socket, Buffer.from(`x-a: ${'a'.repeat(1_000)}\r\n`));
      },
    ],
    [
      'sends two lengths',
      (socket) => void socket.write(withHead('content-length: 4\r\ncontent-length: 5')),
    ],
    [
      'sends two lengths in one header',
      (socket) => void socket.write(withHead('content-length: 4, 5')),
    ],
    [
      'sends both a length and an encoding',
      (socket) => void socket.write(withHead('content-length: 4\r\ntransfer-encoding: chunked')),
    ],
    [
      'folds its length header',
      (socket) => void socket.write(withHead('content-length:\r\n 4\r\ncontent-length: 4')),
    ],
    [
      'sends endless informational responses',
      (socket) => flood(socket, Buffer.from('HTTP/1.1 102 Processing\r\n\r\n'.repeat(500))),
    ],
    [
      'drips endless informational responses',
      (socket) => drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n', 2),
    ],
    [
      'sends long informational responses',
      (socket) =>
        void socket.write(
          `${`HTTP/1.1 103 E\r\nlink: ${'a'.repeat(9_000)}\r\n\r\n`.repeat(3)}${withHead('content-length: 4')}`,
        ),
    ],
    ['sends no status', (socket) => void socket.write('HTTP/1.1 OK\r\n\r\n')],
    [
      'sends two spaces before its status',
      (socket) => void socket.write('HTTP/1.1  200 OK\r\n\r\n'),
    ],
    ['speaks an unknown version', (socket) => void socket.write('HTTP/1.9 200 OK\r\n\r\n')],
    ['sends a four-digit status', (socket) => void socket.write('HTTP/1.1 1000 x\r\n\r\n')],
    ['switches protocols unasked', (socket) => void socket.write(answer('101 Switching'))],
  ])('causes connection_failed if it %s', async (_fault, behave) => {
    const receiver = await kept(startReceiver(behave));
    const result = await client().request(post(receiver.url));
    expect(result).toMatchObject({ kind: 'failure', reason: 'connection_failed' });
    expect(JSON.stringify(result)).not.toMatch(/127\.0\.0\.1|at /);
  });

  it('says in words that it closed the connection, or sent too many headers', async () => {
    const told: [(socket: Socket) => void, string][] = [
      [(socket) => void socket.end(), 'the server closed the connection unanswered'],
      [
        (socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`),
        'the headers of the answer are too large',
      ],
    ];
    for (const [behave, detail] of told) {
      const receiver = await kept(startReceiver(behave));
      expect(await client().request(post(receiver.url))).toMatchObject({ detail });
    }
  });

  it('causes connection_failed if it is down', async () => {
    const receiver = await startReceiver(ok);
    await receiver.close();
    expect(await client().request(post(receiver.url))).toMatchObject({
      kind: 'failure',
      reason: 'connection_failed',
      detail: 'the connection failed (ECONNREFUSED)',
    });
  });

  it('is not followed if it redirects', async () => {
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

describe('the body of a response that has started', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['never ends', (socket) => drip(socket, '.', 20)],
    ['breaks off', (socket) => void socket.end('....')],
    ['is cut by a reset', (socket) => void socket.write('....', () => socket.resetAndDestroy())],
  ])('does not change the status if it %s', async (_how, behave) => {
    const receiver = await kept(
      startReceiver((socket) => {
        socket.write('HTTP/1.1 202 Accepted\r\ncontent-length: 1000\r\n\r\n');
        behave(socket);
      }),
    );
    const result = await quickEnough(1_000, () =>
      client().request(post(receiver.url, { deadlineMs: 300 })),
    );
    expect(result).toMatchObject({ kind: 'response', status: 202, truncated: 'unfinished' });
    await receiver.drained();
  });
});

describe('a response that the RFCs allow', () => {
  const fine = withHead('content-length: 4');
  const told: [string, string, number, string][] = [
    ['behind a 100 that nobody asked for', `HTTP/1.1 100 Continue\r\n\r\n${fine}`, 200, 'fine'],
    [
      'behind other 1xx',
      `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 102 P\r\n\r\n${fine}`,
      200,
      'fine',
    ],
    ['with its length twice', withHead('content-length: 4\r\nContent-Length: 4'), 200, 'fine'],
    ['with its length twice in a line', withHead('content-length: 4, 4'), 200, 'fine'],
    ['204 with a length', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n', 204, ''],
    ['304 with a length', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n', 304, ''],
    ['204 in chunks', 'HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n', 204, ''],
  ];

  it.each(told)('%s is accepted, three times in a row', async (_what, text, status, body) => {
    const receiver = await kept(
      startReceiver((socket) => {
        socket.write(text);
        socket.on('data', () => socket.write(text));
      }),
    );
    const http = client();
    for (let time = 0; time < 3; time += 1) {
      const result = await quickEnough(1_500, () =>
        http.request(post(receiver.url, { deadlineMs: 30_000 })),
      );
      expect(result).toMatchObject({
        kind: 'response',
        status,
        body: Buffer.from(body),
        truncated: false,
      });
    }
  });

  it('is accepted after twenty informational ones, repeatedly', async () => {
    const text = `${'HTTP/1.1 102 P\r\n\r\n'.repeat(20)}${fine}`;
    const receiver = await kept(
      startReceiver((socket) => {
        socket.write(text);
        socket.on('data', () => socket.write(text));
      }),
    );
    const http = client({ maxSocketsPerOrigin: 1 });
    for (let time = 0; time < 3; time += 1) {
      expect(await http.request(post(receiver.url))).toMatchObject({ status: 200 });
    }
  });

  it('is parsed the same, however the connection splits it', async () => {
    const whole = told.map(([, text]) => text).join('');
    await fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 40 }), (cuts) => {
        const places = [...new Set(cuts)].sort((a, b) => a - b);
        for (const [, text, status] of told) {
          const heads = readAnswerHeads();
          heads.sending();
          const inside = places.filter((place) => place < text.length);
          const parts = [...inside, text.length].map((end, at) =>
            heads.receive(Buffer.from(text.slice(inside[at - 1] ?? 0, end))),
          );
          const once = readAnswerHeads();
          once.sending();
          expect(String(Buffer.concat(parts))).toBe(String(once.receive(Buffer.from(text))));
          expect(String(parts.join(''))).toContain(` ${status} `);
        }
      }),
    );
  });
});

describe('a kept-alive connection', () => {
  /** Answers the first request of each connection and ends it when the next request arrives. */
  const closing = (end: (socket: Socket) => void) => (socket: Socket) => {
    ok(socket);
    socket.on('data', () => end(socket));
  };

  it.each<[string, (socket: Socket) => void]>([
    ['closes', (socket) => socket.end()],
    ['resets', (socket) => socket.resetAndDestroy()],
  ])('is replaced, and the request sent again, if the other side %s it', async (_how, end) => {
    const receiver = await kept(startReceiver(closing(end)));
    const http = client({ maxSocketsPerOrigin: 1 });
    for (let time = 0; time < 6; time += 1) {
      expect(await http.request(post(receiver.url))).toMatchObject({
        kind: 'response',
        status: 200,
      });
    }
    expect(receiver.connections).toBeGreaterThan(1);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['closes', (socket) => socket.end()],
    ['resets', (socket) => socket.resetAndDestroy()],
  ])('is not used again if the other side %s it while idle', async (_how, end) => {
    const sockets: Socket[] = [];
    const receiver = await kept(
      startReceiver((socket) => {
        sockets.push(socket);
        ok(socket);
      }),
    );
    const http = client({ maxSocketsPerOrigin: 1 });
    const bodies = ['{"number":1}', '{"number":2}', '{"number":3}'];
    for (const body of bodies) {
      expect(await http.request(post(receiver.url, { body }))).toMatchObject({ status: 200 });
      for (const socket of sockets.splice(0)) end(socket);
      await receiver.drained();
    }
    // Each request on its own connection, and none twice.
    expect(receiver.received.map((text) => text.split('\r\n\r\n')[1])).toEqual(bodies);
  });

  it('causes a failure if it breaks mid-response or again when new', async () => {
    const half = await kept(startReceiver(closing((socket) => void socket.end('HTTP/1.1 2'))));
    const http = client({ maxSocketsPerOrigin: 1 });
    const results = [];
    for (let time = 0; time < 2; time += 1) results.push(await http.request(post(half.url)));
    expect(results.map(({ kind }) => kind)).toEqual(['response', 'failure']);

    let isOver = false;
    const gone = await kept(
      startReceiver((socket) => {
        if (isOver) return void socket.end();
        ok(socket);
        socket.on('data', () => socket.end());
      }),
    );
    await http.request(post(gone.url));
    isOver = true;
    expect(await http.request(post(gone.url))).toMatchObject({ reason: 'connection_failed' });
    expect(gone.connections).toBe(2);
  });
});

describe('aborting HTTP requests', () => {
  it('ends a request when the caller aborts it', async () => {
    const stop = new AbortController();
    const receiver = await kept(startReceiver(() => stop.abort()));
    const result = await client().request(post(receiver.url, { signal: stop.signal }));
    expect(result).toMatchObject({ kind: 'failure', reason: 'aborted' });
    await receiver.drained();
  });

  it('sends nothing if the caller has already aborted', async () => {
    const receiver = await kept(startReceiver(ok));
    const result = await client().request(post(receiver.url, { signal: AbortSignal.abort() }));
    expect(result).toMatchObject({ kind: 'failure', reason: 'aborted' });
    expect(receiver.connections).toBe(0);
  });

  it('ends pending requests in any phase when the client is closed', async () => {
    const handshaking = await kept(startSilentReceiver());
    const receiver = await kept(startReceiver(() => void http.close()));
    const http = client({
      resolve: (host) =>
        host === 'silent.example' ? new Promise(() => {}) : Promise.resolve([LOOPBACK]),
    });
    const results = await Promise.all([
      http.request(post('http://silent.example/')),
      http.request(post(`https://hooks.example:${handshaking.port}/`)),
      http.request(post(`http://hooks.example:${receiver.port}/`)),
    ]);
    for (const result of results) expect(result).toMatchObject({ reason: 'aborted' });
    const closedAt = performance.now();
    await Promise.all([receiver.drained(), handshaking.drained()]);
    expect(performance.now() - closedAt).toBeLessThan(2_000);
    expect(await http.request(post(receiver.url))).toMatchObject({ reason: 'aborted' });
  });
});
