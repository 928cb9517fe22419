import type { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { DnsAnswer, DnsRecords } from '../../../shared/platform/outbound/dns.ts';
import type { HttpClient } from '../../../shared/platform/outbound/http-client.ts';
import {
  createSiteProbe,
  type SiteProbeOptions,
} from '../../../shared/sales/brokerage/site-probe.ts';
import {
  answer,
  drip,
  type FaultReceiver,
  startReceiver,
  startSilentReceiver,
} from '../../support/fault-receiver.ts';
import { LOOPBACK, outboundBench } from '../../support/outbound.ts';
import { quickEnough } from '../../support/quick-enough.ts';

const { kept, client } = outboundBench();

const PAGE = `<title>Bread</title><p>${'We bake bread every morning. '.repeat(20)}</p>`;
const html = (body: string, status = '200 OK') =>
  answer(status, { 'content-type': 'text/html; charset=utf-8' }, body);

const delegated: DnsAnswer = { kind: 'records', values: ['ns1.example.net'] };

function dns(ns: DnsAnswer = delegated, cname: DnsAnswer = { kind: 'no_records' }): DnsRecords {
  return {
    async ask(name, type) {
      if (name === 'com') return delegated;
      return type === 'NS' ? ns : cname;
    },
  };
}

/** A client that resolves every name to this machine. */
const here = (): HttpClient => client({ resolve: async () => [LOOPBACK] });

/** A client that must not be used. */
const unused: HttpClient = {
  request: async () => {
    throw new Error('no page was to be fetched');
  },
  close: async () => {},
};

const probe = (options: Partial<SiteProbeOptions>) =>
  createSiteProbe({
    dns: dns(),
    http: unused,
    budgetMs: 2_000,
    userAgent: 'test-probe',
    ...options,
  })('wanted.com');

const at =
  (...sites: FaultReceiver[]) =>
  (host: string) =>
    sites.map(({ port }) => `http://${host}:${port}/`);

const site = (reply: (path: string, socket: Socket) => string) =>
  kept(
    startReceiver((socket, receiver) => {
      const path = /^GET (\S+)/.exec(receiver.received.at(-1) ?? '')?.[1] ?? '';
      socket.end(reply(path, socket));
    }),
  );

describe('probing DNS', () => {
  it.each(['no_such_name', 'no_records'] as const)('treats %s as unregistered', async (kind) => {
    expect(await probe({ dns: dns({ kind }) })).toEqual({ state: 'unregistered' });
  });

  it('proves nothing if the TLD is unknown to DNS, too', async () => {
    const cutOff: DnsRecords = { ask: async () => ({ kind: 'no_such_name' }) };
    expect(await probe({ dns: cutOff })).toEqual({ state: 'unknown' });
  });

  it('knows parking companies by their name servers and aliases, without a visit', async () => {
    const ns: DnsAnswer = { kind: 'records', values: ['ns1.sedoparking.com'] };
    expect(await probe({ dns: dns(ns) })).toEqual({ state: 'parked' });
    const alias: DnsAnswer = { kind: 'records', values: ['12345.parkingcrew.net'] };
    expect(await probe({ dns: dns(delegated, alias) })).toEqual({ state: 'parked' });
  });

  it('proves nothing without a response', async () => {
    const http = client({
      resolve: async () => {
        throw new Error('no DNS');
      },
    });
    const silent = { kind: 'timeout' } as const;
    expect(await probe({ dns: dns(silent, silent), http })).toEqual({ state: 'unknown' });
    expect(await probe({ http })).toEqual({ state: 'no_site' });
    expect(await probe({ dns: dns({ kind: 'broken' }), http })).toEqual({ state: 'no_site' });
  });
});

describe('probing the front page', () => {
  it('reports a page with content as active', async () => {
    const shop = await site(() => html(PAGE));
    expect(await probe({ http: here(), frontPages: at(shop) })).toEqual({ state: 'active' });
    expect(shop.received[0]).toMatch(/^GET \/ HTTP\/1\.1\r\n/);
    expect(shop.received[0]).toMatch(/user-agent: test-probe/i);
  });

  it('reports a page that says "for sale" as parked', async () => {
    const parked = await site(() => html('<title>wanted.com is for sale</title>'));
    expect(await probe({ http: here(), frontPages: at(parked) })).toEqual({ state: 'parked' });
  });

  it.each([
    ['401 Unauthorized', 'active'],
    ['403 Forbidden', 'active'],
    ['429 Too Many Requests', 'active'],
    ['404 Not Found', 'no_site'],
    ['410 Gone', 'no_site'],
    ['500 Internal Server Error', 'no_site'],
    ['502 Bad Gateway', 'no_site'],
  ])('reports %s as %s', async (status, state) => {
    const guarded = await site(() => html(PAGE, status));
    expect(await probe({ http: here(), frontPages: at(guarded) })).toEqual({ state });
  });

  it('counts a page that is not HTML as active', async () => {
    const api = await site(() => answer('200 OK', { 'content-type': 'application/json' }, '{}'));
    expect(await probe({ http: here(), frontPages: at(api) })).toEqual({ state: 'active' });
  });

  it('needs only one live URL, even if others hang or are parked', async () => {
    const hanging = await kept(startSilentReceiver());
    const parked = await site(() => html('<p>Buy this domain</p>'));
    const shop = await site(() => html(PAGE));
    const frontPages = at(hanging, parked, shop);
    const found = await quickEnough(5_000, () =>
      probe({ http: here(), frontPages, budgetMs: 20_000 }),
    );
    expect(found).toEqual({ state: 'active' });
    await hanging.drained();
  });

  it('checks www if the bare name has no address', async () => {
    const shop = await site(() => html(PAGE));
    const http = client({
      resolve: async (host) => {
        if (host !== 'www.wanted.com') throw new Error('no such host');
        return [LOOPBACK];
      },
    });
    expect(await probe({ http, frontPages: at(shop) })).toEqual({ state: 'active' });
    expect(shop.received[0]).toMatch(/host: www\.wanted\.com/i);
  });

  it('finds no site if nothing listens', async () => {
    const gone = await startReceiver(() => {});
    await gone.close();
    expect(await probe({ http: here(), frontPages: at(gone) })).toEqual({ state: 'no_site' });
  });
});

describe('the time budget of a probe', () => {
  it('reports a site that never responds as unknown', async () => {
    const hanging = await kept(startSilentReceiver());
    const found = await quickEnough(1_500, () =>
      probe({ http: here(), frontPages: at(hanging), budgetMs: 300 }),
    );
    expect(found).toEqual({ state: 'unknown' });
  });

  it('covers redirects and slow bodies together', async () => {
    const slow = await kept(
      startReceiver((socket, receiver) => {
        const first = !receiver.received.at(-1)?.startsWith('GET /next ');
        if (first) socket.end(answer('302 Found', { location: '/next' }));
        else {
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
          drip(socket, 'x', 50);
        }
      }),
    );
    const found = await quickEnough(1_500, () =>
      probe({ http: here(), frontPages: at(slow), budgetMs: 400 }),
    );
    expect(found).toEqual({ state: 'unknown' });
  });
});

describe('probing with an HTTP client that throws', () => {
  it('finds no site', async () => {
    expect(await probe({ http: unused })).toEqual({ state: 'no_site' });
  });
});

describe('probing through redirects', () => {
  const to = (location: string) => answer('301 Moved Permanently', { location });

  it('follows up to three', async () => {
    const chain = await site((path) =>
      path === '/3' ? html(PAGE) : to(`/${path === '/' ? 1 : Number(path.slice(1)) + 1}`),
    );
    expect(await probe({ http: here(), frontPages: at(chain) })).toEqual({ state: 'active' });
    expect(chain.received).toHaveLength(4);
  });

  it('finds no site in a redirect loop', async () => {
    const circle = await site(() => to('/'));
    expect(await probe({ http: here(), frontPages: at(circle) })).toEqual({ state: 'no_site' });
    expect(circle.received).toHaveLength(4);
  });

  it('reports a redirect to a selling company as parked without following it', async () => {
    const sold = await site(() => to('https://www.dan.com/buy-domain/wanted.com'));
    expect(await probe({ http: here(), frontPages: at(sold) })).toEqual({ state: 'parked' });
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/',
    'http://2852039166/',
    'http://metadata.wanted.com/',
  ])('refuses a redirect to %s', async (location) => {
    const trap = await site(() => to(location));
    const asked: string[] = [];
    const http = client({
      resolve: async (host) => {
        asked.push(host);
        return host.startsWith('metadata.')
          ? [{ address: '169.254.169.254', family: 4 }]
          : [LOOPBACK];
      },
    });
    expect(await probe({ http, frontPages: at(trap) })).toEqual({ state: 'no_site' });
    expect(trap.connections).toBe(1);
    expect(asked.filter((host) => /^[\d[]/.test(host))).toEqual([]);
  });

  it('refuses a redirect to a private address in production', async () => {
    const inside = await site(() => html(PAGE));
    const outside: HttpClient = client({ allowPrivate: false, resolve: async () => [LOOPBACK] });
    const redirecting: HttpClient = {
      ...outside,
      request: async (request) =>
        request.url.includes('wanted.com')
          ? {
              kind: 'response',
              status: 302,
              headers: { location: `http://127.0.0.1:${inside.port}/admin` },
              body: Buffer.alloc(0),
              truncated: false,
              elapsedMs: 1,
            }
          : outside.request(request),
    };
    expect(await probe({ http: redirecting })).toEqual({ state: 'no_site' });
    expect(inside.connections).toBe(0);
  });
});
