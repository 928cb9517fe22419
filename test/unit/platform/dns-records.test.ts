import { afterEach, describe, expect, it } from '@jest/globals';
import { createDnsRecords, type DnsRecords } from '../../../shared/platform/outbound/dns.ts';
import { type DnsServer, startDnsServer } from '../../support/dns-server.ts';
import { quickEnough } from '../../support/quick-enough.ts';

const TYPES: Readonly<Record<number, 'NS' | 'CNAME'>> = { 2: 'NS', 5: 'CNAME' };
const NXDOMAIN = 3;
const SERVFAIL = 2;

type NamesZone = (
  name: string,
  type: string,
) => { code?: number; names?: readonly string[] } | 'silent';

let server: DnsServer | undefined;

afterEach(() => {
  server?.close();
  server = undefined;
});

/** DNS records as answered by a test server. */
async function recordsOver(zone: NamesZone): Promise<DnsRecords> {
  server = await startDnsServer((name, type) => {
    const found = zone(name, TYPES[type] ?? String(type));
    return found === 'silent' ? found : { ...found, data: (found.names ?? []).map(encoded) };
  });
  return createDnsRecords([server.address]);
}

const encoded = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);

describe('querying DNS records', () => {
  it('returns host names in lowercase', async () => {
    const dns = await recordsOver((_name, type) => ({
      names: type === 'NS' ? ['NS1.Example.net', 'ns2.example.net'] : ['Shop.Example.org'],
    }));
    const servers = await dns.ask('wanted.com', 'NS', 1_000);
    expect(servers).toMatchObject({ kind: 'records' });
    expect(servers.kind === 'records' && [...servers.values].sort()).toEqual([
      'ns1.example.net',
      'ns2.example.net',
    ]);
    expect(await dns.ask('www.wanted.com', 'CNAME', 1_000)).toEqual({
      kind: 'records',
      values: ['shop.example.org'],
    });
  });

  it.each([
    ['no_such_name', { code: NXDOMAIN }],
    ['no_records', {}],
    ['broken', { code: SERVFAIL }],
  ] as const)('reports %s', async (kind, answer) => {
    const dns = await recordsOver(() => answer);
    expect(await dns.ask('wanted.com', 'NS', 1_000)).toEqual({ kind });
  });

  it('gives up at the deadline if the server stays silent', async () => {
    const dns = await recordsOver(() => 'silent');
    const answer = await quickEnough(1_500, () => dns.ask('wanted.com', 'NS', 300));
    expect(answer).toEqual({ kind: 'timeout' });
  });

  it('reports a timeout when no resolver can be reached', async () => {
    const dns = createDnsRecords(['127.0.0.1:9']);
    expect(await dns.ask('wanted.com', 'NS', 500)).toEqual({ kind: 'timeout' });
  });
});
