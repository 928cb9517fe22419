import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createApiServer } from '../../api/http/server.ts';
import { startTestApp, type TestApp } from '../support/app.ts';

/** Sends raw bytes and reads until the other side closes. */
function exchange(url: string, bytes: string): Promise<string> {
  const { port, hostname } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
    socket.on('data', (part) => {
      answer += part.toString('latin1');
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

const PATH = '/api/partner/v1/orders';
const HEAD = 'Host: api.example\r\nConnection: close\r\n';

describe('unusual HTTP requests', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.stop());

  it.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['a header of 20 kB', `GET ${PATH} HTTP/1.1\r\n${HEAD}X-A: ${'a'.repeat(20_000)}\r\n\r\n`, 400],
    [
      'two lengths for one body',
      `POST ${PATH} HTTP/1.1\r\n${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
      400,
    ],
    [
      'a chunk without a size',
      `POST ${PATH} HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
      400,
    ],
    [
      'an unknown expectation',
      `POST ${PATH} HTTP/1.1\r\n${HEAD}Expect: nonsense\r\nContent-Length: 2\r\n\r\n{}`,
      401,
    ],
    [
      'a chunked body',
      `POST ${PATH} HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      401,
    ],
    [
      'a compressed body',
      `POST ${PATH} HTTP/1.1\r\n${HEAD}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}`,
      415,
    ],
    ['a path that cannot be decoded', `GET ${PATH}/%ZZ HTTP/1.1\r\n${HEAD}\r\n`, 400],
    ['a path in capitals', `GET /API/PARTNER/v1/orders HTTP/1.1\r\n${HEAD}\r\n`, 404],
    ['a path with a slash too many', `GET ${PATH}/ HTTP/1.1\r\n${HEAD}\r\n`, 404],
    ['OPTIONS', `OPTIONS ${PATH} HTTP/1.1\r\n${HEAD}\r\n`, 405],
    ['TRACE', `TRACE ${PATH} HTTP/1.1\r\n${HEAD}\r\n`, 405],
    [
      'a form in an unknown character set',
      `POST /ops/sign-in HTTP/1.1\r\n${HEAD}Content-Type: application/x-www-form-urlencoded; charset=latin7\r\nContent-Length: 3\r\n\r\na=b`,
      415,
    ],
    [
      'a form of thousands of fields',
      `POST /ops/sign-in HTTP/1.1\r\n${HEAD}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 4000\r\n\r\n${'a&'.repeat(2_000)}`,
      413,
    ],
  ])('%s is answered in the error envelope', async (_name, bytes, status) => {
    const answer = await exchange(app.url, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const requestId = /^X-Request-Id: (req_\w+)\r$/m.exec(answer)?.[1];
    const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
    expect(JSON.parse(body).error).toMatchObject({
      code: expect.any(String),
      message: expect.any(String),
      request_id: requestId,
    });
  });

  it('a path with a slash too many is told about it', async () => {
    const answer = await exchange(app.url, `GET ${PATH}/ HTTP/1.1\r\n${HEAD}\r\n`);
    expect(answer).toContain('There is nothing at this path. Paths do not end with a slash.');
  });

  it('HEAD gets the headers of GET without the body', async () => {
    const answer = await exchange(app.url, `HEAD ${PATH} HTTP/1.1\r\n${HEAD}\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
    expect(answer.slice(answer.indexOf('\r\n\r\n') + 4)).toBe('');
  });
});

describe('stopping the API server', () => {
  const listen = (server: Server) =>
    new Promise<string>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      });
    });

  it('finishes requests in progress, closes connections, and accepts no new ones', async () => {
    let arrived = () => {};
    let answerNow = () => {};
    const underWay = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const api = createApiServer((_req, res) => {
      answerNow = () => res.end('done');
      arrived();
    });
    const url = await listen(api.server);
    const asked = fetch(url);
    await underWay;
    const stopped = api.stop(10_000);
    await expect(fetch(url)).rejects.toThrow();
    answerNow();
    const answer = await asked;
    expect(answer.headers.get('Connection')).toBe('close');
    expect(await answer.text()).toBe('done');
    await stopped;
  });

  it('cuts off requests that do not finish in time', async () => {
    let arrived = () => {};
    const underWay = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const api = createApiServer(() => arrived());
    const asked = fetch(await listen(api.server));
    const cutOff = expect(asked).rejects.toThrow();
    await underWay;
    await api.stop(10);
    await cutOff;
  });
});
