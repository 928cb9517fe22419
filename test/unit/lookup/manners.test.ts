import { afterEach, describe, expect, it } from '@jest/globals';
import { SECOND } from '../../../shared/platform/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { type LookupBench, startLookupBench, whoisRecord } from '../../support/lookups.ts';
import { startOwnRedis } from '../../support/own-redis.ts';
import { rdapRecord } from '../../support/registry-stand-in.ts';
import { joinRuntime } from '../../support/runtime.ts';
import type { TestSettings } from '../../support/settings.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const action of cleanUp.splice(0).reverse()) await action();
});

async function bench(env: TestSettings = {}): Promise<LookupBench> {
  const started = await startLookupBench(env);
  cleanUp.push(() => started.stop());
  return started;
}

const names = (count: number) => Array.from({ length: count }, (_, at) => `name${at}.pizza`);
const questions = ({ registry }: LookupBench) =>
  registry.asked.filter((path) => path.startsWith('/domain/'));

describe('concurrent lookups of one name', () => {
  it('share a single query to the registry', async () => {
    const { registry, runtime } = await bench();
    registry.rdap.set('busy.pizza', registry.held({ body: rdapRecord('busy.pizza') }));
    const finds = Array.from({ length: 50 }, () => runtime.lookups.find('busy.pizza'));
    const checks = Array.from({ length: 50 }, () =>
      runtime.lookups.registration('busy.pizza', 10 * SECOND),
    );
    await eventually(() => registry.asked.includes('/domain/busy.pizza'));
    registry.release();
    for (const answer of await Promise.all(finds)) expect(answer.registered).toBe(true);
    expect(new Set(await Promise.all(checks))).toEqual(new Set(['registered']));
    expect(registry.asked.filter((path) => path === '/domain/busy.pizza')).toHaveLength(1);
  });
});

describe('the lookup limit per server', () => {
  it('allows only a few queries at a time but eventually sends all', async () => {
    const started = await bench({ lookupPerServer: 3 });
    const { registry, runtime } = started;
    for (const name of names(12))
      registry.rdap.set(name, registry.held({ body: rdapRecord(name) }));
    const answers = Promise.all(names(12).map((name) => runtime.lookups.find(name)));
    await eventually(() => questions(started).length === 3);
    registry.release();
    expect((await answers).every(({ registered }) => registered)).toBe(true);
    expect(registry.mostAtOnce).toBe(3);
  });
});

describe('a registry that asks for fewer queries', () => {
  it('is not queried by any process, not even over WHOIS', async () => {
    const { registry, runtime } = await bench();
    registry.rdap.set('kept.pizza', { body: rdapRecord('kept.pizza') });
    await runtime.lookups.find('kept.pizza');
    registry.rdap.set('often.pizza', { status: 429, headers: { 'retry-after': '120' }, body: '' });
    registry.whois.set('often.pizza', whoisRecord('often.pizza'));
    const refusal = { code: 'service_unavailable', retryAfterSeconds: 120 };
    await expect(runtime.lookups.find('often.pizza')).rejects.toMatchObject(refusal);
    const asked = registry.asked.length;

    const other = await joinRuntime(runtime);
    cleanUp.push(() => other.stop());
    for (const { lookups } of [runtime, other]) {
      for (const name of ['often.pizza', 'another.coffee']) {
        await expect(lookups.find(name)).rejects.toMatchObject({ code: 'service_unavailable' });
        expect(await lookups.registration(name, SECOND)).toBe('unknown');
      }
      expect(await lookups.find('kept.pizza')).toMatchObject({ cached: true });
    }
    const since = registry.asked.slice(asked);
    expect(since.filter((question) => question !== '/dns.json')).toEqual([]);
  });

  it.each([
    ['Wed, 21 Oct 2026 07:28:40 GMT', 40],
    ['0', 1],
    ['soon', 30],
    ['99999999', 30],
    ['9999999', 3_600],
    ['Thu, 21 Oct 2027 07:28:00 GMT', 3_600],
  ])('is obeyed when Retry-After is "%s"', async (header, retryAfterSeconds) => {
    const { registry, runtime } = await bench();
    runtime.clock.set('2026-10-21T07:28:00Z');
    registry.rdap.set('often.pizza', { status: 429, headers: { 'retry-after': header }, body: '' });
    await expect(runtime.lookups.find('often.pizza')).rejects.toMatchObject({ retryAfterSeconds });
  });

  it.each<[what: string, text: string, seconds: number]>([
    ['without a time', 'Your query limit exceeded. Try again later.', 60],
    ['with a number of seconds', 'Please go away for 13 Seconds', 13],
    ['with a "not found" message', 'Too many requests...\n\n%% No entries found.', 60],
    ['with an excessive wait', '-1: Still in grace period, wait 7777777 seconds', 3_600],
  ])('is obeyed over WHOIS, too: %s', async (_what, text, retryAfterSeconds) => {
    const { registry, runtime } = await bench();
    registry.rdap.set('often.pizza', 500);
    registry.whois.set('often.pizza', `${text}\r\n`);
    for (let round = 0; round < 2; round += 1) {
      await expect(runtime.lookups.find('often.pizza')).rejects.toMatchObject({
        code: 'service_unavailable',
        retryAfterSeconds,
      });
      expect(await runtime.lookups.registration('often.pizza', SECOND)).toBe('unknown');
    }
    expect(registry.asked.filter((question) => question === 'whois often.pizza')).toHaveLength(1);
  });
});

describe('a registry server that fails three times in a row', () => {
  it('is skipped in favor of the other protocol', async () => {
    const { registry, runtime } = await bench();
    for (const name of names(5)) {
      registry.rdap.set(name, 502);
      registry.whois.set(name, whoisRecord(name));
      expect(await runtime.lookups.find(name)).toMatchObject({ source: 'whois' });
    }
    expect(registry.asked).toContain('/domain/name2.pizza');
    expect(registry.asked).not.toContain('/domain/name3.pizza');
  });
});

describe('the registration status of a name', () => {
  it('is registered, available, or unknown', async () => {
    const { registry, runtime } = await bench();
    registry.rdap.set('taken.pizza', { body: rdapRecord('taken.pizza') });
    registry.whois.set('ninja', 'domain: NINJA\n');
    const { lookups } = runtime;
    expect(await lookups.registration('taken.pizza', SECOND)).toBe('registered');
    expect(await lookups.registration('free.pizza', SECOND)).toBe('available');
    expect(await lookups.registration('name.ninja', SECOND)).toBe('unknown');
  });

  it('is unknown when the time is up, and known once the response arrives', async () => {
    const { registry, runtime } = await bench();
    registry.rdap.set('late.pizza', registry.held({ body: rdapRecord('late.pizza') }));
    expect(await runtime.lookups.registration('late.pizza', 30)).toBe('unknown');
    registry.release();
    expect(await runtime.lookups.registration('late.pizza', 10 * SECOND)).toBe('registered');
    expect(registry.asked.filter((path) => path === '/domain/late.pizza')).toHaveLength(1);
  });
});

describe("the registrar's own RDAP server", () => {
  const card = (name: string) => ['vcard', [['fn', {}, 'text', name]]];
  const thin = ({ registry }: LookupBench, name: string, href: string) =>
    registry.rdap.set(name, {
      body: rdapRecord(name, {
        entities: [
          {
            roles: ['registrar'],
            publicIds: [{ type: 'IANA Registrar ID', identifier: '9998' }],
            vcardArray: card('Sample Registrar'),
          },
        ],
        links: [{ rel: 'related', type: 'application/rdap+json', href }],
      }),
    });
  const told = (name: string, ianaId: string) => ({
    body: rdapRecord(name, {
      status: ['client hold'],
      events: [{ eventAction: 'registration', eventDate: '1999-01-01T00:00:00Z' }],
      nameservers: [{ ldhName: 'ns1.registrar.example' }],
      entities: [
        { roles: ['registrar'], publicIds: [{ type: 'IANA Registrar ID', identifier: ianaId }] },
        { roles: ['registrant'], vcardArray: card('Ada Example') },
      ],
    }),
  });

  it('adds what the registry leaves out and overrides nothing', async () => {
    const started = await bench();
    const { registry, runtime } = started;
    thin(started, 'thin.pizza', `${registry.rdapUrl}domain/thin.pizza?at=registrar`);
    const both = registry.rdap.get('thin.pizza');
    const registrar = told('thin.pizza', '9998');
    registry.rdap.set('thin.pizza', (request, response) => {
      const reply = request.url?.includes('registrar') ? registrar : both;
      response.writeHead(200, { 'content-type': 'application/rdap+json' });
      response.end(JSON.stringify((reply as { body: unknown }).body));
    });
    const answer = await runtime.lookups.find('thin.pizza');
    expect(answer).toMatchObject({
      registrar: { name: 'Sample Registrar', ianaId: 9998 },
      registrant: { name: 'Ada Example' },
      nameservers: ['ns1.registrar.example'],
      status: ['active'],
      dates: { created: new Date('2001-02-03T04:05:06Z') },
    });
    expect(await runtime.lookups.find('thin.pizza')).toEqual({ ...answer, cached: true });
    expect(questions(started)).toHaveLength(2);
  });

  it.each([
    'http://169.254.169.254/domain/x.pizza',
    'https://[fd00:ec2::254]/',
    'file:///etc/passwd',
    'not a url',
  ])('is not queried at %s, and the lookup still succeeds', async (href) => {
    const started = await bench();
    thin(started, 'lured.pizza', href);
    expect(await started.runtime.lookups.find('lured.pizza')).toMatchObject({
      registered: true,
      registrar: { name: 'Sample Registrar' },
      registrant: null,
    });
  });

  it('is not queried when only the registration status is needed', async () => {
    const started = await bench();
    const { registry, runtime } = started;
    thin(started, 'quick.pizza', `${registry.rdapUrl}domain/elsewhere`);
    expect(await runtime.lookups.registration('quick.pizza', SECOND)).toBe('registered');
    expect(registry.asked).not.toContain('/domain/elsewhere');
  });
});

describe('the list of RDAP servers', () => {
  it('is refetched when outdated, with its ETag, and shared with other processes', async () => {
    const { registry, runtime } = await bench();
    const fetches = () => registry.asked.filter((path) => path === '/dns.json').length;
    await runtime.lookups.find('one.pizza');
    expect(fetches()).toBe(1);
    const other = await joinRuntime(runtime);
    cleanUp.push(() => other.stop());
    await other.lookups.find('two.pizza');
    expect(fetches()).toBe(1);
    runtime.clock.advance(25 * 60 * 60 * SECOND);
    await runtime.lookups.find('three.pizza');
    await eventually(() => fetches() === 2);
    expect(await runtime.lookups.find('four.pizza')).toMatchObject({ source: 'rdap' });
  });

  it('is not fetched from a private address if those are not allowed', async () => {
    const { registry, runtime } = await bench({
      WEBHOOK_ALLOW_PRIVATE: 'false',
      lookupMs: 2_000,
    });
    await expect(runtime.lookups.find('name.pizza')).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    expect(registry.asked).toEqual([]);
  });
});

describe('lookups without Redis', () => {
  it('still work, with a separate cache in each process', async () => {
    const redis = await startOwnRedis();
    cleanUp.push(() => redis.remove());
    const { registry, runtime } = await bench({ REDIS_URL: redis.url });
    await redis.kill();
    registry.rdap.set('alone.pizza', { body: rdapRecord('alone.pizza') });
    expect(await runtime.lookups.find('alone.pizza')).toMatchObject({ cached: false });
    expect(await runtime.lookups.find('alone.pizza')).toMatchObject({ cached: true });
    expect(await runtime.lookups.find('free.pizza')).toMatchObject({ registered: false });
    registry.rdap.set('often.pizza', { status: 429, headers: { 'retry-after': '60' }, body: '' });
    for (const name of ['often.pizza', 'more.pizza']) {
      await expect(runtime.lookups.find(name)).rejects.toMatchObject({ retryAfterSeconds: 60 });
    }
    expect(registry.asked).not.toContain('/domain/more.pizza');
  });
});

describe('a cached lookup', () => {
  it('is not kept longer than it is valid', async () => {
    const { registry, runtime } = await bench({ lookupCacheMs: 0, lookupFreeCacheMs: 1 });
    registry.rdap.set('moving.pizza', { body: rdapRecord('moving.pizza') });
    expect(await runtime.lookups.find('moving.pizza')).toMatchObject({ registered: true });
    registry.rdap.delete('moving.pizza');
    expect(await runtime.lookups.find('moving.pizza')).toMatchObject({ registered: false });
    await eventually(async () => !(await runtime.lookups.find('moving.pizza')).cached);
  });
});
