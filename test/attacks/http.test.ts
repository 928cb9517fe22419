import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createApiServer } from '../../api/http/server.ts';
import { startTestApp, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

/** Sends bytes as they stand, and reads until the other side closes. */
async function exchange(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
  });
  // Refused in the middle of a request, a sender may be reset: what was answered has arrived.
  socket.on('error', () => {});
  socket.write(bytes, 'latin1');
  await once(socket, 'close');
  return answer;
}

const statusesOf = (answer: string) =>
  [...answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => status);

const HOST = 'Host: api.example\r\n';
const FORM = 'Content-Type: application/json\r\n';
/** The request that a smuggler hides behind the first one. It must never be answered. */
const HIDDEN = `GET /healthz HTTP/1.1\r\n${HOST}X-Hidden: 1\r\nConnection: close\r\n\r\n`;

describe('request smuggling', () => {
  it.each([
    ['a length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'],
    ['chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', '0\r\n\r\n'],
    ['two lengths', 'Content-Length: 0\r\nContent-Length: 5\r\n', ''],
    ['two equal lengths', 'Content-Length: 0\r\nContent-Length: 0\r\n', ''],
    ['a list of lengths', 'Content-Length: 0, 5\r\n', ''],
    ['a signed length', 'Content-Length: +0\r\n', ''],
    ['a negative length', 'Content-Length: -1\r\n', ''],
    ['a hexadecimal length', 'Content-Length: 0x0\r\n', ''],
    ['a length with a space', 'Content-Length: 0 0\r\n', ''],
    ['a huge length', `Content-Length: ${'9'.repeat(40)}\r\n`, ''],
    ['a space before the colon', 'Content-Length : 0\r\n', ''],
    ['an encoding that is not the last', 'Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n'],
    ['an encoding with a tail', 'Transfer-Encoding: chunkedx\r\n', '0\r\n\r\n'],
    ['an encoding after a tab and a space', 'Transfer-Encoding:\t xchunked\r\n', '0\r\n\r\n'],
    ['an encoding in a folded line', 'Transfer-Encoding:\r\n chunked\r\n', '0\r\n\r\n'],
    ['an encoding after a control character', 'Transfer-Encoding: \u000bchunked\r\n', '0\r\n\r\n'],
    ['a folded header', 'X-A: 1\r\n Transfer-Encoding: chunked\r\n', ''],
    ['a bare line feed', 'X-A: 1\nContent-Length: 0\r\n', ''],
    ['a bare carriage return', 'X-A: 1\rContent-Length: 0\r\n', ''],
    ['NUL in a header', 'X-A: 1\u0000\r\n', ''],
    ['a header name with a space', 'X A: 1\r\n', ''],
    ['a nameless header', ': 1\r\n', ''],
    ['a chunk of a negative size', 'Transfer-Encoding: chunked\r\n', '-1\r\n\r\n'],
    ['a chunk size with a sign', 'Transfer-Encoding: chunked\r\n', '+0\r\n\r\n'],
    ['a chunk size with a prefix', 'Transfer-Encoding: chunked\r\n', '0x0\r\n\r\n'],
    ['a chunk longer than its size', 'Transfer-Encoding: chunked\r\n', '1\r\nab\r\n0\r\n\r\n'],
    ['a huge chunk size', 'Transfer-Encoding: chunked\r\n', `${'f'.repeat(20)}\r\n`],
  ])('is rejected with %s', async (_what, headers, body) => {
    const first = `POST /api/domain/search HTTP/1.1\r\n${HOST}${FORM}${headers}\r\n${body}`;
    const answer = await exchange(app.url, first + HIDDEN);
    const statuses = statusesOf(answer);
    expect(statuses).not.toContain('200');
    expect(statuses[0]).toBe('400');
    expect(statuses).toHaveLength(1);
    expect(answer).toMatch(/^Connection: close\r$/m);
  });

  it.each([
    ['no Host header', 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['two Host headers', `GET /healthz HTTP/1.1\r\n${HOST}Host: evil.example\r\n\r\n`],
    ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a version of three digits', `GET /healthz HTTP/1.10\r\n${HOST}\r\n`],
    ['an unknown method', `GETT /healthz HTTP/1.1\r\n${HOST}\r\n`],
    ['a space in the URL', `GET /health z HTTP/1.1\r\n${HOST}\r\n`],
  ])('is rejected before routing: %s', async (_what, bytes) => {
    const answer = await exchange(app.url, bytes + HIDDEN);
    expect(statusesOf(answer)).toEqual(['400']);
    const [, id] = /^X-Request-Id: (req_\w+)\r$/m.exec(answer) ?? [];
    expect(answer).toContain(`"request_id":"${id}"`);
  });

  it('does not hand the connection to an upgrade or a tunnel', async () => {
    for (const head of [
      `GET /healthz HTTP/1.1\r\n${HOST}Connection: Upgrade, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n`,
      `CONNECT evil.example:80 HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
    ]) {
      const answer = await exchange(app.url, head);
      expect(answer).not.toMatch(/^HTTP\/1\.1 (101|2\d\d Connection)/);
      expect(statusesOf(answer)).not.toContain('101');
    }
  });
});

describe('oversized requests', () => {
  it.each([
    ['a large header', `X-A: ${'a'.repeat(20_000)}\r\n`],
    [
      'two thousand headers',
      Array.from({ length: 2_000 }, (_, n) => `X-${n}: aaaaaa\r\n`).join(''),
    ],
    ['a large cookie', `Cookie: ${'a=b; '.repeat(5_000)}\r\n`],
  ])('are rejected because of %s', async (_what, headers) => {
    const answer = await exchange(app.url, `GET /healthz HTTP/1.1\r\n${HOST}${headers}\r\n`);
    expect(statusesOf(answer)).toEqual(['400']);
  });

  it.each([
    ['a long URL', `GET /healthz?${'a'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`],
    ['a long method', `${'A'.repeat(20_000)} / HTTP/1.1\r\n${HOST}\r\n`],
  ])('are rejected because of %s', async (_what, bytes) => {
    expect(statusesOf(await exchange(app.url, bytes))).toEqual(['400']);
  });

  it('are rejected with or without Content-Length', async () => {
    const head = `POST /api/domain/search HTTP/1.1\r\n${HOST}${FORM}Connection: close\r\n`;
    const body = `{"q":"${'a'.repeat(150_000)}"}`;
    const announced = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
    const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    for (const bytes of [announced, chunked]) {
      expect(statusesOf(await exchange(app.url, bytes))).toEqual(['413']);
    }
  });

  it('are rejected when compressed', async () => {
    const paths = [
      ['POST', '/api/domain/search'],
      ['POST', '/api/batch'],
      ['POST', '/api/oauth/register'],
      ['POST', '/ops/sign-in'],
      ['POST', '/ops/api/session'],
      ['PUT', '/api/partner/webhooks'],
    ] as const;
    for (const [method, path] of paths) {
      for (const encoding of ['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip']) {
        const answer = await fetch(app.url + path, {
          method,
          headers: {
            'Content-Encoding': encoding,
            'Content-Type':
              path === '/ops/sign-in' ? 'application/x-www-form-urlencoded' : 'application/json',
          },
          body: 'x',
        });
        expect([path, encoding, answer.status]).toEqual([path, encoding, 415]);
      }
    }
  });
});

describe('requests that never finish', () => {
  const SHORT = { requestMs: 300, checkMs: 50 };
  let api: ReturnType<typeof createApiServer>;
  let url: string;
  beforeAll(async () => {
    api = createApiServer((req, res) => {
      req.resume().on('end', () => res.end('done'));
    }, SHORT);
    api.server.listen(0, '127.0.0.1');
    await once(api.server, 'listening');
    url = `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`;
  });
  afterAll(() => api.stop(0));

  const dripping = (socket: Socket, text: string) => {
    const timer = setInterval(() => socket.write(text), 20);
    socket.on('close', () => clearInterval(timer));
  };

  it.each([
    ['nothing is sent at all', '', ''],
    ['a head comes byte by byte', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: ', 'a'],
    ['headers come one by one', 'GET / HTTP/1.1\r\nHost: x\r\n', 'X-A: b\r\n'],
    [
      'a body comes byte by byte',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 999999\r\n\r\n',
      'a',
    ],
    [
      'chunks come one by one',
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
      '1\r\na\r\n',
    ],
  ])('are closed when %s', async (_what, start, drip) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    if (start) socket.write(start);
    if (drip) dripping(socket, drip);
    await once(socket, 'close');
    if (start) expect(answer).toMatch(/^HTTP\/1\.1 (400|408) /);
  });

  it('do not block others: 100 stalled connections leave the server responsive', async () => {
    const idle = Array.from({ length: 100 }, () => {
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
      socket.on('error', () => {});
      socket.write('POST /api/domain/search HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
      return socket;
    });
    try {
      expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
    } finally {
      for (const socket of idle) socket.destroy();
    }
  });
});
