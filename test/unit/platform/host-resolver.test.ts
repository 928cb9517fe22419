import { afterEach, describe, expect, it } from '@jest/globals';
import { createHostResolver } from '../../../shared/platform/outbound/dns.ts';
import { type DnsServer, startDnsServer, type Zone } from '../../support/dns-server.ts';
import { quickEnough } from '../../support/quick-enough.ts';

const A = 1;
const AAAA = 28;

let server: DnsServer | undefined;

afterEach(() => {
  server?.close();
  server = undefined;
});

/** A resolver that queries a test DNS server that answers from `zone`. */
async function resolverOver(zone: Zone) {
  server = await startDnsServer(zone);
  return createHostResolver({ systemNames: false, servers: [server.address] });
}

const v4 = Buffer.from([93, 184, 215, 14]);
const v6 = Buffer.from('26064700470000000000000000001111', 'hex');

describe('host resolver', () => {
  it('returns every address of both families, IPv4 first', async () => {
    const resolve = await resolverOver((_name, type) => ({ data: [type === A ? v4 : v6] }));
    expect(await resolve('hooks.example.com')).toEqual([
      { address: '93.184.215.14', family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ]);
  });

  it.each([
    ['A', A, '93.184.215.14'],
    ['AAAA', AAAA, '2606:4700:4700::1111'],
  ])('succeeds with %s records alone', async (_name, only, address) => {
    const data = [only === A ? v4 : v6];
    const resolve = await resolverOver((_host, type) => (type === only ? { data } : {}));
    expect((await resolve('hooks.example.com')).map((found) => found.address)).toEqual([address]);
  });

  it('does not wait long for a name server that ignores one address family', async () => {
    const resolve = await resolverOver((_name, type) => (type === A ? { data: [v4] } : 'silent'));
    const found = await quickEnough(1_400, () => resolve('hooks.example.com'));
    expect(found).toEqual([{ address: '93.184.215.14', family: 4 }]);
  });

  it('reports the DNS error code', async () => {
    const resolve = await resolverOver(() => ({ code: 3 }));
    await expect(resolve('nowhere.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('resolves localhost without any query', async () => {
    const resolve = await resolverOver(() => 'silent');
    expect((await resolve('localhost')).map(({ address }) => address)).toEqual([
      '127.0.0.1',
      '::1',
    ]);
    expect(await resolve('api.localhost')).toHaveLength(2);
  });

  it('asks the system for names unknown to DNS if enabled', async () => {
    const resolve = createHostResolver({ systemNames: true, servers: ['127.0.0.1:9'] });
    // The system resolves an address without any network.
    expect(await resolve('127.0.0.1')).toEqual([{ address: '127.0.0.1', family: 4 }]);
  });
});
