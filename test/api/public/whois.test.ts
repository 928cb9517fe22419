import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../../shared/platform/observability/logger.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenListing } from '../../support/factories.ts';
import { lookupEnv, whoisRecord } from '../../support/lookups.ts';
import { accessTokenFor, givenOwner } from '../../support/oauth.ts';
import { type PublicClient, publicClient } from '../../support/public-client.ts';
import {
  type RegistryStandIn,
  rdapRecord,
  startRegistryStandIn,
} from '../../support/registry-stand-in.ts';

const NOTHING = {
  registrar: null,
  registrant: null,
  dates: { created: null, updated: null, expires: null },
  nameservers: [],
  status: [],
  dnssec: null,
};
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('POST /tools/whois', () => {
  let registry: RegistryStandIn;
  let app: TestApp;
  let client: PublicClient;
  beforeAll(async () => {
    registry = await startRegistryStandIn();
    app = await startTestApp({
      ...lookupEnv(registry),
      lookupMs: 8_000,
      lookupServerMs: 1_500,
    });
    client = publicClient(app.url);
  });
  afterAll(async () => {
    await app.stop();
    await registry.close();
  });
  const lookUp = (domain: string) => client.post('/tools/whois', { body: { domain } });

  it('returns registrar, registrant, dates, nameservers and statuses of a domain', async () => {
    registry.rdap.set('margherita.pizza', {
      body: rdapRecord('MARGHERITA.PIZZA', {
        status: ['client transfer prohibited'],
        events: [
          { eventAction: 'registration', eventDate: '2014-05-06T07:08:09Z' },
          { eventAction: 'last changed', eventDate: '2026-01-02T00:00:00.5Z' },
          { eventAction: 'expiration', eventDate: '2027-05-06T09:08:09+02:00' },
        ],
        nameservers: [{ ldhName: 'NS1.Registrar.Example.' }, { ldhName: 'ns2.registrar.example' }],
        secureDNS: { delegationSigned: true },
        entities: [
          {
            roles: ['registrar'],
            publicIds: [{ type: 'IANA Registrar ID', identifier: '9998' }],
            vcardArray: ['vcard', [['fn', {}, 'text', 'Sample Registrar Ltd']]],
          },
          {
            roles: ['registrant'],
            vcardArray: [
              'vcard',
              [
                ['fn', {}, 'text', ''],
                ['org', {}, 'text', 'Pizzeria Napoli'],
                ['adr', {}, 'text', ['', '', '', '', '', '', 'IT']],
              ],
            ],
          },
        ],
      }),
    });
    const { status, body } = await lookUp(' Margherita.PIZZA. ');
    expect(status).toBe(200);
    expect(body).toEqual({
      domain: 'margherita.pizza',
      registered: true,
      source: 'rdap',
      registrar: { name: 'Sample Registrar Ltd', iana_id: 9998 },
      registrant: { name: null, organization: 'Pizzeria Napoli', country: 'IT' },
      dates: {
        created: '2014-05-06T07:08:09.000Z',
        updated: '2026-01-02T00:00:00.000Z',
        expires: '2027-05-06T07:08:09.000Z',
      },
      nameservers: ['ns1.registrar.example', 'ns2.registrar.example'],
      status: ['client transfer prohibited'],
      dnssec: true,
      fetched_at: INSTANT,
      cached: false,
    });
    expect((await lookUp('margherita.pizza')).body).toEqual({ ...body, cached: true });
  });

  it('looks up a Unicode name by its A-labels', async () => {
    registry.rdap.set('xn--caf-dma.pizza', {
      body: rdapRecord('xn--caf-dma.pizza', { unicodeName: 'café.pizza' }),
    });
    expect((await lookUp('Café.pizza')).body).toMatchObject({
      domain: 'xn--caf-dma.pizza',
      registered: true,
    });
  });

  it('returns 200 with registered: false for an unregistered domain', async () => {
    const { status, body } = await lookUp('free.pizza');
    expect(status).toBe(200);
    expect(body).toEqual({
      domain: 'free.pizza',
      registered: false,
      source: 'rdap',
      ...NOTHING,
      fetched_at: INSTANT,
      cached: false,
    });
  });

  it('names WHOIS as the source if it was used', async () => {
    registry.rdap.set('old.pizza', 500);
    registry.whois.set('old.pizza', whoisRecord('old.pizza'));
    expect((await lookUp('old.pizza')).body).toMatchObject({
      source: 'whois',
      registrar: { name: 'Sample Registrar', iana_id: null },
    });
  });

  it('returns 502 with the text of an unreadable response, alone and in a batch', async () => {
    const domain = 'unread.pizza';
    registry.rdap.set(domain, { status: 404, type: 'text/plain', body: 'not found' });
    registry.whois.set(domain, 'Willkommen beim Register.\n');
    const { status, body, headers } = await lookUp(domain);
    expect(status).toBe(502);
    expect(body.error).toMatchObject({
      code: 'unreadable_answer',
      details: { source: 'whois', raw: 'Willkommen beim Register.\n', truncated: false },
    });
    expect(headers.get('Retry-After')).toBeNull();
    const operations = [{ op: 'whois_lookup', params: { domain } }];
    const batch = await client.post('/batch', { body: { operations } });
    expect(batch.body.results[0]).toMatchObject({
      status: 502,
      body: { error: { code: 'unreadable_answer' } },
    });
    const search = await client.post('/domain/search', { body: { q: domain, tlds: ['pizza'] } });
    expect(search.body.results[0]).toMatchObject({
      domain,
      status: 'unknown',
      available: null,
    });
  });

  it('does not log what a registry returned', async () => {
    const lines: string[] = [];
    const shadow = createLogger(
      { level: 'error', name: 'test' },
      { write: (line) => lines.push(line) },
    );
    const log = app.runtime.log;
    const { error } = log;
    log.error = shadow.error.bind(shadow);
    registry.rdap.set('private.pizza', { status: 404, type: 'text/plain', body: '' });
    registry.whois.set('private.pizza', 'Erika Beispiel lives in Street 1\n');
    expect((await lookUp('private.pizza')).status).toBe(502);
    log.error = error;
    expect(lines.join('\n')).toContain("answer about private.pizza can't be read");
    expect(lines.join('\n')).not.toContain('Erika');
  });

  it.each(['name.test', 'name.ninja'])(
    'returns 404 if there is no registry: %s',
    async (domain) => {
      registry.whois.set('ninja', 'domain:       NINJA\n');
      const { status, body } = await lookUp(domain);
      expect([status, body.error.code]).toEqual([404, 'not_found']);
    },
  );

  it('returns 503 with Retry-After on a timeout', async () => {
    registry.rdap.set('silent.pizza', () => {});
    registry.whois.set('silent.pizza', () => {});
    const { status, body, headers } = await lookUp('silent.pizza');
    expect([status, body.error.code]).toEqual([503, 'service_unavailable']);
    expect(headers.get('Retry-After')).toBe('10');
  });

  it('returns 503 with the wait that a registry asks for over WHOIS', async () => {
    registry.rdap.set('refused.pizza', { status: 404, type: 'text/plain', body: '' });
    registry.whois.set('refused.pizza', 'Please go away for 13 Seconds\n\n%% No entries found.\n');
    const { status, body, headers } = await lookUp('refused.pizza');
    expect([status, body.error.code]).toEqual([503, 'service_unavailable']);
    expect(headers.get('Retry-After')).toBe('13');
  });

  it('passes on the Retry-After header of the registry', async () => {
    registry.rdap.set('often.pizza', { status: 429, headers: { 'retry-after': '77' }, body: '' });
    registry.whois.set('often.pizza', whoisRecord('often.pizza'));
    const { status, headers } = await lookUp('often.pizza');
    expect(status).toBe(503);
    expect(headers.get('Retry-After')).toBe('77');
  });

  it.each([
    {},
    { domain: 1 },
    { domain: '' },
    { domain: 'pizza' },
    { domain: 'a.nosuchtld' },
    { domain: 'www.name.pizza' },
    { domain: 'http://name.pizza' },
    { domain: '127.0.0.1' },
    { domain: 'na me.pizza' },
    { domain: 'name\r\nother.pizza' },
  ])('returns a validation_error for %j', async (body) => {
    const answer = await client.post('/tools/whois', { body });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error']);
    expect(answer.body.error.details[0].path).toBe('/domain');
  });
});

describe('the rate limit of lookups', () => {
  it('is a separate group, counted per address or per user', async () => {
    const app = await startTestApp({
      RATE_LIMITS: 'on',
      LIMIT_PUBLIC_WHOIS: '2',
      LIMIT_USER_WHOIS: '5',
    });
    try {
      const client = publicClient(app.url);
      const lookUp = (token?: string) =>
        client.post('/tools/whois', { body: { domain: 'example.com' }, ...(token && { token }) });
      const answers = [await lookUp(), await lookUp(), await lookUp()];
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
      expect(answers[2]?.headers.get('Retry-After')).toMatch(/^\d+$/);
      const { id: userId } = await givenOwner(app.runtime);
      const signedIn = await lookUp(await accessTokenFor(app.runtime, { userId }));
      expect(signedIn.status).toBe(200);
      expect(signedIn.headers.get('RateLimit-Policy')).toBe('5;w=60');
      expect(signedIn.headers.get('RateLimit-Remaining')).toBe('4');
    } finally {
      await app.stop();
    }
  });
});

describe('lookups without a network', () => {
  it('return made-up records for listed and reserved names, and other names as free', async () => {
    const app = await startTestApp();
    try {
      const client = publicClient(app.url);
      const lookUp = (domain: string) => client.post('/tools/whois', { body: { domain } });
      const { domain } = await givenListing(app.runtime, { environment: 'LIVE' });
      for (const name of [domain, 'example.com', 'anything.test', 'anything.example']) {
        const { body } = await lookUp(name);
        expect(body).toMatchObject({
          registered: true,
          registrar: { name: 'Demo Registrar (made up)', iana_id: null },
        });
        expect(body.dates.created < body.fetched_at).toBe(true);
        expect(body.dates.expires > body.fetched_at).toBe(true);
      }
      for (const name of ['nobody-listed-this.com', 'unregistered-name.test']) {
        expect((await lookUp(name)).body).toMatchObject({ registered: false });
      }
      const unreachable = await lookUp('unreachable-name.test');
      expect(unreachable.body.error.code).toBe('service_unavailable');
    } finally {
      await app.stop();
    }
  });
});
