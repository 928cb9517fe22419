import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { type LookupBench, startLookupBench, whoisRecord } from '../../support/lookups.ts';
import { type RdapReply, rdapRecord, type WhoisReply } from '../../support/registry-stand-in.ts';
import { joinRuntime } from '../../support/runtime.ts';

let bench: LookupBench;
beforeAll(async () => {
  bench = await startLookupBench({
    lookupServerMs: 1_500,
    lookupRegistrarMs: 1_500,
    lookupMs: 10_000,
  });
});
afterAll(() => bench.stop());
beforeEach(liven);

const rdapRecordReply = (name: string, more = {}): RdapReply => ({ body: rdapRecord(name, more) });
const find = (name: string) => bench.runtime.lookups.find(name);
const askedFor = (name: string) =>
  bench.registry.asked.filter((question) => question.endsWith(name));

/** One server plays all registries; a good response resets its failure count, so it is not blocked. */
async function liven() {
  const name = `alive${bench.registry.asked.length}.pizza`;
  bench.registry.rdap.set(name, 503);
  bench.registry.whois.set(name, whoisRecord(name));
  await find(name);
  bench.registry.rdap.set(`rdap-${name}`, rdapRecordReply(`rdap-${name}`));
  await find(`rdap-${name}`);
}

describe('looking up a domain', () => {
  it('returns what the registry says and caches it', async () => {
    bench.registry.rdap.set('good.pizza', rdapRecordReply('good.pizza'));
    const first = await find('good.pizza');
    expect(first).toMatchObject({
      domain: 'good.pizza',
      registered: true,
      source: 'rdap',
      dates: { created: new Date('2001-02-03T04:05:06Z') },
      status: ['active'],
      cached: false,
    });
    expect(await find('good.pizza')).toEqual({ ...first, cached: true });
    expect(askedFor('good.pizza')).toHaveLength(1);
  });

  it('reads 404 as an available name and caches that as well', async () => {
    expect(await find('nobody.pizza')).toMatchObject({ registered: false, source: 'rdap' });
    expect(await find('nobody.pizza')).toMatchObject({ registered: false, cached: true });
    expect(askedFor('nobody.pizza')).toHaveLength(1);
  });

  it('uses cached results of another process, including their dates', async () => {
    bench.registry.rdap.set('shared.pizza', rdapRecordReply('shared.pizza'));
    const first = await find('shared.pizza');
    const other = await joinRuntime(bench.runtime);
    try {
      expect(await other.lookups.find('shared.pizza')).toEqual({ ...first, cached: true });
    } finally {
      await other.stop();
    }
  });

  it.each<[what: string, reply: RdapReply]>([
    ['RDAP’s error', { status: 404, body: { errorCode: 404, title: 'Not Found' } }],
    ['the error with its number as text', { status: 404, body: { errorCode: '404' } }],
    [
      'the error as plain JSON',
      { status: 404, type: 'application/json', body: { errorCode: 404 } },
    ],
    ['an empty body of RDAP’s type', { status: 404, body: '' }],
  ])('treats a 404 with %s as an available name', async (what, reply) => {
    const name = `free-${what.length}.pizza`;
    bench.registry.rdap.set(name, reply);
    expect(await find(name)).toMatchObject({ registered: false, source: 'rdap' });
  });

  it('reads a response after a byte order mark', async () => {
    const body = `\ufeff${JSON.stringify(rdapRecord('marked.pizza'))}`;
    bench.registry.rdap.set('marked.pizza', { body });
    expect(await find('marked.pizza')).toMatchObject({ registered: true, source: 'rdap' });
  });

  it('follows a redirect by the registry', async () => {
    bench.registry.rdap.set('moved.pizza', {
      status: 302,
      headers: { location: '/domain/there.pizza' },
      body: '',
    });
    bench.registry.rdap.set('there.pizza', rdapRecordReply('moved.pizza'));
    expect(await find('moved.pizza')).toMatchObject({ domain: 'moved.pizza', source: 'rdap' });
  });

  it('handles suffixes named like JavaScript properties', async () => {
    const root = 'domain:       CONSTRUCTOR\n\nwhois:        whois.registry.localhost\n';
    bench.registry.whois.set('constructor', root);
    bench.registry.whois.set('name.constructor', whoisRecord('name.constructor'));
    expect(await find('name.constructor')).toMatchObject({ registered: true, source: 'whois' });
  });

  it('fetches the list of RDAP servers once', async () => {
    await find('list-a.pizza');
    await find('list-b.coffee');
    expect(bench.registry.asked.filter((path) => path === '/dns.json')).toHaveLength(1);
  });

  it('stops waiting when the caller gives up but completes the query', async () => {
    const held = bench.registry.held({ body: rdapRecord('patience.pizza') });
    bench.registry.rdap.set('patience.pizza', held);
    const caller = new AbortController();
    const answer = bench.runtime.lookups.find('patience.pizza', caller.signal);
    await eventually(() => askedFor('patience.pizza').length > 0);
    caller.abort();
    await expect(answer).rejects.toMatchObject({ code: 'service_unavailable' });
    bench.registry.release();
    await eventually(async () => (await find('patience.pizza')).cached);
    expect(askedFor('patience.pizza')).toHaveLength(1);
  });
});

describe('an unusable RDAP response', () => {
  const redirect = (location: string): RdapReply => ({
    status: 301,
    headers: { location },
    body: '',
  });
  const faults: Record<string, RdapReply> = {
    'broken with 500': 500,
    'refusing with 403': 403,
    'sending a web page': { type: 'text/html', body: '<html>Welcome</html>' },
    'saying 404 with a web page': { status: 404, type: 'text/html', body: '<html>nginx</html>' },
    'saying 404 in a line of text': { status: 404, type: 'text/plain', body: '404 not found' },
    'saying 404 in a line of text that it calls RDAP': { status: 404, body: 'no such path' },
    'saying 404 with nothing': 404,
    'saying 404 with JSON of a proxy': {
      status: 404,
      type: 'application/json',
      body: { title: 'Not Found', status: 404 },
    },
    'saying 404 with another error': { status: 404, body: { errorCode: 500 } },
    'sending no JSON': { body: '{"objectClassName": "domain", ' },
    'sending a list': { body: [] },
    'sending null': { body: 'null' },
    'sending nothing': { body: '' },
    'sending the record of another name': { body: rdapRecord('other.pizza') },
    'sending an entity': { body: { objectClassName: 'entity', handle: 'X' } },
    'sending without end': (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/rdap+json' });
      const pour = () => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
      };
      response.on('drain', pour);
      pour();
    },
    'hanging up in the middle': (_request, response) => {
      response.writeHead(200, { 'content-length': '5000' });
      response.write('{"objectClassName":');
      setImmediate(() => response.destroy());
    },
    'never answering': () => {},
    'redirecting to itself': redirect(''),
    'redirecting in a circle': (request, response) => {
      const step = Number(new URL(request.url ?? '', 'http://x').searchParams.get('step') ?? 0);
      response.writeHead(302, { location: `?step=${step + 1}` }).end();
    },
    'redirecting to a metadata service': redirect('http://169.254.169.254/latest/meta-data/'),
    'redirecting to another protocol': redirect('gopher://127.0.0.1/'),
    'redirecting nowhere': { status: 302, body: '' },
  };
  let count = 0;

  it.each(Object.keys(faults))('falls back to WHOIS: %s', async (fault) => {
    count += 1;
    const name = `fault${count}.pizza`;
    const reply = faults[fault] as RdapReply;
    bench.registry.rdap.set(name, reply);
    bench.registry.whois.set(name, whoisRecord(name));
    expect(await find(name)).toMatchObject({
      domain: name,
      registered: true,
      source: 'whois',
      registrar: { name: 'Sample Registrar' },
    });
  });
});

describe('querying a WHOIS server', () => {
  it.each<[what: string, reply: (name: string) => WhoisReply, expected: object]>([
    [
      'in Latin-1',
      (name) => Buffer.from(whoisRecord(name, 'Société Exemple'), 'latin1'),
      { registrar: { name: 'Société Exemple' } },
    ],
    ['in UTF-8', (name) => whoisRecord(name, 'Пример'), { registrar: { name: 'Пример' } }],
    ['without the name', (name) => `No match for "${name}".\r\n`, { registered: false }],
    [
      'that resets behind the answer',
      (name) => (socket) => void socket.write(whoisRecord(name), () => socket.resetAndDestroy()),
      { registered: true },
    ],
  ])('reads a response %s', async (what, reply, expected) => {
    const name = `${what.toLowerCase().replaceAll(' ', '-')}.pizza`;
    bench.registry.rdap.set(name, 503);
    bench.registry.whois.set(name, reply(name));
    expect(await find(name)).toMatchObject({ source: 'whois', ...expected });
  });

  it.each<[what: string, reply: WhoisReply]>([
    ['sends nothing', ''],
    ['never answers', () => {}],
    [
      'sends without end',
      (socket) => {
        const pour = () => {
          while (!socket.destroyed && socket.write('x: y\r\n'.repeat(10_000)));
        };
        socket.on('drain', pour);
        pour();
      },
    ],
  ])('returns 503 if it %s', async (what, reply) => {
    const name = `${what.replaceAll(' ', '-')}.pizza`;
    bench.registry.rdap.set(name, 503);
    bench.registry.whois.set(name, reply);
    await expect(find(name)).rejects.toMatchObject({
      code: 'service_unavailable',
      retryAfterSeconds: 10,
    });
    // An unknown result is not cached.
    bench.registry.whois.set(name, whoisRecord(name));
    await liven();
    bench.registry.rdap.set(name, rdapRecordReply(name));
    expect(await find(name)).toMatchObject({ registered: true, cached: false });
  });
});

describe('an unreadable lookup response', () => {
  it.each([
    ['of WHOIS', 'Welcome to the registry.\r\n'],
    ['of WHOIS, about another name', whoisRecord('other.pizza')],
  ])('is returned with its text and not cached: %s', async (_what, text) => {
    const name = `unread-${text.length}.pizza`;
    bench.registry.rdap.set(name, { body: 'Welcome to the proxy' });
    bench.registry.whois.set(name, text);
    await expect(find(name)).rejects.toMatchObject({
      code: 'unreadable_answer',
      retryAfterSeconds: undefined,
      details: { source: 'whois', raw: text, truncated: false },
    });
    expect(await bench.runtime.lookups.registration(name, 5_000)).toBe('unknown');
    bench.registry.rdap.set(name, rdapRecordReply(name));
    expect(await find(name)).toMatchObject({ registered: true, cached: false });
  });

  it('quotes RDAP if there is no WHOIS server', async () => {
    const other = await startLookupBench();
    try {
      other.registry.tlds.push('baby');
      other.registry.whois.set('baby', 'domain:       BABY\n\nstatus:       ACTIVE\n');
      other.registry.rdap.set('unread.baby', { status: 404, type: 'text/plain', body: 'not here' });
      await expect(other.runtime.lookups.find('unread.baby')).rejects.toMatchObject({
        code: 'unreadable_answer',
        details: { source: 'rdap', raw: 'not here', truncated: false },
      });
    } finally {
      await other.stop();
    }
  });

  it('returns 503 while the other protocol is unavailable, since it may recover', async () => {
    bench.registry.rdap.set('closed.pizza', { status: 404, type: 'text/plain', body: 'not here' });
    bench.registry.whois.set('closed.pizza', '');
    await expect(find('closed.pizza')).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('is cut at 32 kB without splitting a character', async () => {
    const text = `a${'é'.repeat(30_000)}`;
    bench.registry.rdap.set('long.pizza', 503);
    bench.registry.whois.set('long.pizza', text);
    const error = await find('long.pizza').catch((thrown: unknown) => thrown);
    const { raw, truncated } = (error as { details: { raw: string; truncated: boolean } }).details;
    expect(truncated).toBe(true);
    expect(text.startsWith(raw)).toBe(true);
    expect(Buffer.byteLength(raw)).toBe(31_999);
  });
});

describe('looking up a name under a special TLD', () => {
  it('returns not_found if the TLD has no server', async () => {
    bench.registry.whois.set('ninja', 'domain:       NINJA\n\nstatus:       ACTIVE\n');
    await expect(find('name.ninja')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('returns 503 if IANA says nothing about the TLD, since a server may exist', async () => {
    bench.registry.whois.set('guru', '% the database is under maintenance\n');
    await expect(find('name.guru')).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it.each(['name.example', 'name.test'])(
    'returns not_found if the TLD is reserved: %s',
    async (name) => {
      await expect(find(name)).rejects.toMatchObject({ code: 'not_found' });
    },
  );
});
