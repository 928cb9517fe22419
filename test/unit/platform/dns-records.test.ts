import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createDnsRecords, type DnsRecords } from '../../../shared/platform/dns-records.ts';

const TYPES: Readonly<Record<number, 'NS' | 'CNAME'>> = { 2: 'NS', 5: 'CNAME' };
const NXDOMAIN = 3;
const SERVFAIL = 2;

type Zone = (name: string, type: string) => { code?: number; names?: readonly string[] } | 'silent';

let server: Socket | undefined;

afterEach(() => {
  server?.close();
  server = undefined;
});

/** DNS as a server of our own tells it. */
async function recordsOver(zone: Zone): Promise<DnsRecords> {
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
    const found = zone(labels.join('.'), TYPES[type] ?? String(type));
    if (found === 'silent') return;
    const answers = (found.names ?? []).map((name) => record(type, name));
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180 | (found.code ?? 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(answers.length, 6);
    head.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([head, query.subarray(12, at + 5), ...answers]), from.port);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return createDnsRecords([`127.0.0.1:${(socket.address() as AddressInfo).port}`]);
}

/** A record about the name in question that points to `name`. */
function record(type: number, name: string): Buffer {
  const data = Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

describe('DNS records', () => {
  it('are host names in lower case', async () => {
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
  ] as const)('tell %s', async (kind, answer) => {
    const dns = await recordsOver(() => answer);
    expect(await dns.ask('wanted.com', 'NS', 1_000)).toEqual({ kind });
  });

  it('are given up at the deadline when the server stays silent', async () => {
    const dns = await recordsOver(() => 'silent');
    const startedAt = performance.now();
    expect(await dns.ask('wanted.com', 'NS', 300)).toEqual({ kind: 'timeout' });
    expect(performance.now() - startedAt).toBeLessThan(1_500);
  });

  it('prove nothing when nobody can be asked', async () => {
    const dns = createDnsRecords(['127.0.0.1:9']);
    expect(await dns.ask('wanted.com', 'NS', 500)).toEqual({ kind: 'timeout' });
  });
});
