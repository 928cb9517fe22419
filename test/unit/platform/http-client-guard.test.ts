import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it, jest } from '@jest/globals';
import type { HostAddress } from '../../../shared/platform/outbound/address-guard.ts';
import { answer, startReceiver, startTlsReceiver } from '../../support/fault-receiver.ts';
import { LOOPBACK, ok, outboundBench, post } from '../../support/outbound.ts';
import { TEST_CERTIFICATE } from '../../support/tls-fixture.ts';

const { kept, client } = outboundBench();

describe('TLS in the HTTP client', () => {
  it('refuses a self-signed certificate', async () => {
    const receiver = await kept(startTlsReceiver(ok));
    expect(await client().request(post(receiver.url))).toMatchObject({
      kind: 'failure',
      reason: 'tls_failure',
      detail: 'the TLS handshake failed (DEPTH_ZERO_SELF_SIGNED_CERT)',
    });
    expect(receiver.received).toEqual([]);
  });

  it('refuses a certificate for another name', async () => {
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
    'accepts a trusted certificate for %s',
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

describe('the SSRF guard of the HTTP client', () => {
  it.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    'localhost',
    '[::ffff:7f00:1]',
    '[::1]',
  ])('prevents requests to %s', async (host) => {
    const inside = await kept(startReceiver(ok));
    const http = client({ allowPrivate: false, resolve: async () => [LOOPBACK] });
    const result = await http.request(post(`http://${host}:${inside.port}/`));
    expect(result).toMatchObject({ kind: 'failure', reason: 'refused_address' });
    expect(inside.connections).toBe(0);
  });

  it('refuses a name with a private address among public ones', async () => {
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

  it('refuses metadata services in development, too', async () => {
    const metadata: HostAddress = { address: '169.254.169.254', family: 4 };
    const http = client({ resolve: async () => [metadata] });
    for (const url of ['http://169.254.169.254/', 'http://metadata.google.internal/']) {
      expect(await http.request(post(url))).toMatchObject({ reason: 'refused_address' });
    }
  });

  it('checks a name again for each new connection', async () => {
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

  it('reports that a name does not resolve', async () => {
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

describe('environment variables of the process', () => {
  const CLIENT = new URL('../../../shared/platform/outbound/http-client.ts', import.meta.url).href;

  /** The result in a separate process, since the test runner hides its variables from Node's core. */
  async function requestIn(env: Record<string, string>, url: string) {
    const script = `
      import { createHttpClient } from ${JSON.stringify(CLIENT)};
      const http = createHttpClient({ allowPrivate: true });
      const url = ${JSON.stringify(url)};
      const r = await http.request({ method: 'GET', url, deadlineMs: 5000, maxResponseBytes: 64 });
      console.log(JSON.stringify(r.kind === 'response' ? r.status : r.reason));
      await http.close();
    `;
    const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
    const child = await promisify(execFile)(process.execPath, args, {
      env: { ...process.env, NODE_OPTIONS: '', ...env },
    });
    return JSON.parse(child.stdout);
  }

  it('cannot disable certificate checks', async () => {
    const receiver = await kept(startTlsReceiver(ok));
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    expect(await requestIn(env, receiver.url)).toBe('tls_failure');
    expect(receiver.received).toEqual([]);
  });

  it('cannot insert a proxy', async () => {
    const proxy = await kept(startReceiver(ok));
    const receiver = await kept(startReceiver(ok));
    const { origin } = new URL(proxy.url);
    const env = { http_proxy: origin, HTTP_PROXY: origin, NODE_USE_ENV_PROXY: '1' };
    expect(await requestIn({ ...env, no_proxy: '', NO_PROXY: '' }, receiver.url)).toBe(200);
    expect(receiver.connections).toBe(1);
    expect(proxy.connections).toBe(0);
  });
});
