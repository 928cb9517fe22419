import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createHostResolver } from '../../../shared/platform/host-resolver.ts';

const A = 1;
const AAAA = 28;

type Zone = (name: string, type: number) => { code?: number; data?: readonly Buffer[] } | 'silent';

let server: Socket | undefined;

afterEach(() => {
  server?.close();
  server = undefined;
});

/** A resolver that asks a DNS server of our own, which answers as `zone` says. */
async function resolverOver(zone: Zone) {
  const socket = createSocket('udp4');
  server = socket;
  socket.on('message', (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const type = query.readUInt16BE(at + 1);
    const answer = zone(labels.join('.').toLowerCase(), type);
    if (answer === 'silent') return;
    const data = answer.data ?? [];
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180 | (answer.code ?? 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(data.length, 6);
    head.writeUInt32BE(0, 8);
    const records = data.map((bytes) => {
      const record = Buffer.alloc(12);
      record.writeUInt16BE(0xc00c, 0);
      record.writeUInt16BE(type, 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt32BE(60, 6);
      record.writeUInt16BE(bytes.length, 10);
      return Buffer.concat([record, bytes]);
    });
    socket.send(Buffer.concat([head, query.subarray(12, at + 5), ...records]), from.port);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address() as AddressInfo;
  return createHostResolver({ systemNames: false, servers: [`127.0.0.1:${port}`] });
}

const v4 = Buffer.from([93, 184, 215, 14]);
const v6 = Buffer.from('26064700470000000000000000001111', 'hex');

describe('host resolver', () => {
  it('gives every address of both families, IPv4 first', async () => {
    const resolve = await resolverOver((_name, type) => ({ data: [type === A ? v4 : v6] }));
    expect(await resolve('hooks.example.com')).toEqual([
      { address: '93.184.215.14', family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ]);
  });

  it.each([
    ['A', A, '93.184.215.14'],
    ['AAAA', AAAA, '2606:4700:4700::1111'],
  ])('is content with %s records alone', async (_name, only, address) => {
    const data = [only === A ? v4 : v6];
    const resolve = await resolverOver((_host, type) => (type === only ? { data } : {}));
    expect((await resolve('hooks.example.com')).map((found) => found.address)).toEqual([address]);
  });

  it('does not wait out a name server that stays silent about one family', async () => {
    const resolve = await resolverOver((_name, type) => (type === A ? { data: [v4] } : 'silent'));
    const startedAt = performance.now();
    expect(await resolve('hooks.example.com')).toEqual([{ address: '93.184.215.14', family: 4 }]);
    expect(performance.now() - startedAt).toBeLessThan(1_400);
  });

  it('says which error DNS gave', async () => {
    const resolve = await resolverOver(() => ({ code: 3 }));
    await expect(resolve('nowhere.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('knows localhost without asking anyone', async () => {
    const resolve = await resolverOver(() => 'silent');
    expect((await resolve('localhost')).map(({ address }) => address)).toEqual([
      '127.0.0.1',
      '::1',
    ]);
    expect(await resolve('api.localhost')).toHaveLength(2);
  });

  it('asks the system for names DNS does not know, when told to', async () => {
    const resolve = createHostResolver({ systemNames: true, servers: ['127.0.0.1:9'] });
    // An address in the shape of a name: the system reads it without any network.
    expect(await resolve('127.0.0.1')).toEqual([{ address: '127.0.0.1', family: 4 }]);
  });
});
