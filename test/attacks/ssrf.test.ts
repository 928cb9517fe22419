import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HostLimiter } from '../../shared/market/lookup/host-limiter.ts';
import { createRdapClient } from '../../shared/market/lookup/rdap-client.ts';
import {
  createWhoisClient,
  createWhoisTransport,
  type WhoisTransport,
} from '../../shared/market/lookup/whois-client.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import type { HostAddress } from '../../shared/platform/outbound/address-guard.ts';
import { createHostResolver } from '../../shared/platform/outbound/dns.ts';
import { createHttpClient, type HttpClient } from '../../shared/platform/outbound/http-client.ts';
import { createSiteProbe } from '../../shared/sales/brokerage/site-probe.ts';
import { startWorkers } from '../../workers/start-workers.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startDnsServer, type Zone } from '../support/dns-server.ts';
import { eventually } from '../support/eventually.ts';
import { type FaultReceiver, startReceiver } from '../support/fault-receiver.ts';
import { LOOPBACKS, METADATA } from '../support/inside-addresses.ts';
import { LOOPBACK, ok, post } from '../support/outbound.ts';
import { givenEndpoint, givenEvents } from '../support/webhooks.ts';

/** OWASP API7. Whatever is tried, nobody may ever knock at the canary, which listens where only we may. */
let app: TestApp;
let canary: FaultReceiver;
let strict: HttpClient;

beforeAll(async () => {
  canary = await startReceiver(ok);
  app = await startTestApp({ WEBHOOK_ALLOW_PRIVATE: 'false', outboxPollMs: 50 });
  strict = createHttpClient({ allowPrivate: false });
});
afterAll(async () => {
  expect(canary.connections).toBe(0);
  await strict.close();
  await app.stop();
  await canary.close();
});

const url = (host: string) => `http://${host}:${canary.port}/hook`;

describe('a webhook endpoint URL', () => {
  it.each([...LOOPBACKS, ...METADATA])('cannot be registered with the host %j', async (host) => {
    const { client } = await app.partner();
    for (const target of [url(host), url(host).replace('http://', 'http:\\\\')]) {
      const { status, body } = await client.put('/webhooks', {
        body: { url: target, secret: 'a-secret-of-sixteen-or-more' },
      });
      expect([status, body.error.details?.[0]?.path]).toEqual([400, '/url']);
    }
  });

  it.each(['gopher', 'file', 'ftp', 'data', 'javascript', 'dict', 'unix', 'ws', 'blob:http'])(
    'cannot use the scheme %s',
    async (scheme) => {
      const { client } = await app.partner();
      const body = {
        url: `${scheme}://example.com:${canary.port}/`,
        secret: 'a-secret-of-sixteen-or-more',
      };
      await client.put('/webhooks', { body }).expect(400);
    },
  );

  it('is checked again at each delivery, however it was stored', async () => {
    const { runtime } = app;
    const hosts = LOOPBACKS.filter((_host, at) => at % 4 === 0).concat(METADATA.slice(0, 4));
    for (const host of hosts) {
      const endpoint = await givenEndpoint(runtime, 'http://hooks.example/');
      await runtime.db
        .knex('webhook_endpoints')
        .where({ id: endpoint.endpointId })
        .update({ url: url(host) });
      await givenEvents(runtime, endpoint, 1);
    }
    const fleet = startWorkers(runtime, { queues: ['webhooks'] });
    try {
      const attempts = await eventually(
        () => runtime.db.knex('webhook_attempts').where({ attempt: 1 }),
        (rows) => rows.length === hosts.length,
      );
      for (const { outcome, status, detail, response_body } of attempts) {
        expect(['refused_address', 'invalid_url', 'dns_failure']).toContain(outcome);
        expect([status, response_body]).toEqual([null, null]);
        // What the partner reads of it tells nothing of our network.
        expect(detail).not.toMatch(/\d+\.\d+\.\d+\.\d+|::|ECONN/);
      }
    } finally {
      await fleet.stop();
    }
    expect(canary.connections).toBe(0);
  });
});

describe('the HTTP client for external addresses', () => {
  it.each([...LOOPBACKS, ...METADATA])('does not connect to %j', async (host) => {
    const result = await strict.request(post(url(host)));
    expect(result.kind).toBe('failure');
    expect(canary.connections).toBe(0);
  });

  const A = 1;
  const bytes = (address: string) =>
    address.includes(':')
      ? Buffer.from(
          address
            .split(':')
            .map((word) => word.padStart(4, '0'))
            .join(''),
          'hex',
        )
      : Buffer.from(address.split('.').map(Number));
  const PUBLIC = '93.184.215.14';
  const MAPPED = '0:0:0:0:0:ffff:7f00:1';

  it.each<[string, Zone]>([
    ['loopback only', (_n, type) => (type === A ? { data: [bytes('127.0.0.1')] } : {})],
    [
      'a public address and loopback',
      (_n, type) => (type === A ? { data: [bytes(PUBLIC), bytes('127.0.0.1')] } : {}),
    ],
    [
      'a public A and a loopback AAAA',
      (_n, type) => ({ data: [type === A ? bytes(PUBLIC) : bytes('0:0:0:0:0:0:0:1')] }),
    ],
    [
      'a public A and a mapped loopback AAAA',
      (_n, type) => ({ data: [type === A ? bytes(PUBLIC) : bytes(MAPPED)] }),
    ],
    [
      'a NAT64 address of loopback only',
      (_n, type) => (type === A ? {} : { data: [bytes('64:ff9b:0:0:0:0:7f00:1')] }),
    ],
    ['a metadata service', (_n, type) => (type === A ? { data: [bytes('169.254.169.254')] } : {})],
    ['0.0.0.0', (_n, type) => (type === A ? { data: [bytes('0.0.0.0')] } : {})],
    ['a private network address', (_n, type) => (type === A ? { data: [bytes('10.0.0.7')] } : {})],
  ])('does not connect to a name that resolves to %s', async (_what, zone) => {
    const dns = await startDnsServer(zone);
    const resolve = createHostResolver({ systemNames: false, servers: [dns.address] });
    const client = createHttpClient({ allowPrivate: false, resolve });
    const lines = createWhoisTransport({ allowPrivate: false, resolve });
    try {
      const target = { host: 'rebind.example', port: canary.port, deadlineMs: 2_000 };
      expect(await client.request(post(url('rebind.example')))).toMatchObject({
        kind: 'failure',
        reason: 'refused_address',
      });
      expect(await lines({ ...target, line: 'x', maxBytes: 10 })).toEqual({
        kind: 'failure',
        reason: 'refused_address',
      });
      expect(canary.connections).toBe(0);
    } finally {
      await client.close();
      dns.close();
    }
  });

  it('resolves the name for each connection and rejects a rebound address', async () => {
    const outside = await startReceiver(ok);
    const moved: HostAddress[][] = [[LOOPBACK], [{ address: '169.254.169.254', family: 4 }]];
    // Loopback plays the outside here; metadata services are refused in development, too.
    const client = createHttpClient({
      allowPrivate: true,
      resolve: async () => moved.shift() ?? [],
    });
    const target = `http://moving.example:${outside.port}/`;
    try {
      expect(await client.request(post(target))).toMatchObject({ kind: 'response', status: 200 });
      await outside.drained();
      expect(await client.request(post(target))).toMatchObject({
        kind: 'failure',
        reason: 'refused_address',
      });
      expect(outside.connections).toBe(1);
    } finally {
      await client.close();
      await outside.close();
    }
  });
});

/** The first step is outside and sends us on; each further one goes through the real client. */
function sentTo(location: string): HttpClient & { steps: string[] } {
  const steps: string[] = [];
  return {
    steps,
    async request(r) {
      steps.push(r.url);
      if (steps.length > 1) return strict.request(r);
      const headers = { location };
      return {
        kind: 'response',
        status: 302,
        headers,
        body: Buffer.alloc(0),
        truncated: false,
        elapsedMs: 1,
      };
    },
    close: async () => {},
  };
}

const open: HostLimiter = {
  run: (_host, _signal, ask) => ask(),
  coolDown: async () => {},
  record: () => {},
};
const PLACES = [...LOOPBACKS, ...METADATA].filter((_place, at) => at % 3 === 0);
const elsewhere = () => [
  ...PLACES.map(url),
  `//127.0.0.1:${canary.port}/`,
  `\\\\127.0.0.1:${canary.port}\\`,
  `gopher://127.0.0.1:${canary.port}/`,
  'file:///etc/passwd',
  `http://127.0.0.1:${canary.port}/\r\nX-Injected: 1`,
];

describe('a redirect to an internal address', () => {
  it('is not followed when probing a website', async () => {
    for (const location of elsewhere()) {
      const http = sentTo(location);
      const probe = createSiteProbe({
        dns: { ask: async () => ({ kind: 'records', values: ['ns1.example.net'] }) },
        http,
        budgetMs: 2_000,
        userAgent: 'test',
        frontPages: (host) => [`http://${host}/`],
      });
      expect([location, await probe('wanted.com')]).toEqual([location, { state: 'no_site' }]);
      expect(canary.connections).toBe(0);
    }
  });

  it('is not followed from a registry', async () => {
    for (const location of elsewhere()) {
      const rdap = createRdapClient({
        http: sentTo(location),
        limiter: open,
        clock: systemClock,
        userAgent: 'test',
        requireHttps: false,
      });
      const { signal } = new AbortController();
      const outcome = await rdap('http://rdap.example/domain/a.com', 2_000, signal);
      expect([location, outcome.kind]).toEqual([location, 'failed']);
      expect(canary.connections).toBe(0);
    }
  });

  it('is not followed from HTTPS to HTTP for a registry', async () => {
    const rdap = createRdapClient({
      http: sentTo('http://rdap.example/domain/a.com'),
      limiter: open,
      clock: systemClock,
      userAgent: 'test',
      requireHttps: true,
    });
    const { signal } = new AbortController();
    expect(await rdap('https://rdap.example/domain/a.com', 2_000, signal)).toEqual({
      kind: 'failed',
    });
  });
});

describe('a WHOIS server referral', () => {
  it.each([...LOOPBACKS, ...METADATA])('is not followed to %j', async (host) => {
    const strictLines = createWhoisTransport({ allowPrivate: false });
    const lines: WhoisTransport = async (question) =>
      question.host === 'whois.iana.example'
        ? { kind: 'answer', body: Buffer.from(`domain: ZZ\nwhois: ${host}\n`), truncated: false }
        : strictLines(question);
    const whois = createWhoisClient({
      lines,
      limiter: open,
      root: `whois.iana.example:${canary.port}`,
    });
    const { signal } = new AbortController();
    const server = await whois.serverOf('zz', 1_000, signal);
    if (server) expect((await whois.ask(server, 'a.zz', 1_000, signal)).kind).toBe('failed');
    expect(canary.connections).toBe(0);
  });

  it('sends a single line, whatever the domain contains', async () => {
    const asked: string[] = [];
    const lines: WhoisTransport = async ({ line }) => {
      asked.push(line);
      return { kind: 'answer', body: Buffer.from('x'), truncated: false };
    };
    const client = app.public;
    for (const domain of [
      'a.com\r\nb.com',
      'a.com\nb.com',
      'a.com%0d%0ab.com',
      '-h 127.0.0.1 a.com',
    ]) {
      expect((await client.post('/tools/whois', { body: { domain } })).status).toBe(400);
    }
    const whois = createWhoisClient({ lines, limiter: open, root: 'whois.iana.example' });
    await whois.ask('whois.denic.de', 'a.de', 1_000, new AbortController().signal);
    for (const line of asked) expect(line).not.toMatch(/[\r\n]/);
  });
});
