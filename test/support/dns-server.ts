import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** The response of our own DNS server for a name: the data of its records, a response code, or no response at all. */
export type Zone = (
  name: string,
  type: number,
) => { code?: number; data?: readonly Buffer[] } | 'silent';

export interface DnsServer {
  /** `host:port` on this machine. */
  address: string;
  close(): void;
}

/** Starts a DNS server on a free port that answers every question as `zone` says. */
export async function startDnsServer(zone: Zone): Promise<DnsServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => answer(socket, query, from.port, zone));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, close: () => socket.close() };
}

function answer(socket: Socket, query: Buffer, port: number, zone: Zone): void {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  const found = zone(labels.join('.').toLowerCase(), type);
  if (found === 'silent') return;
  const records = (found.data ?? []).map((data) => record(type, data));
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(0x8180 | (found.code ?? 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  socket.send(Buffer.concat([head, query.subarray(12, at + 5), ...records]), port);
}

/** Builds a record about the queried name (RFC 1035, 4.1.3). */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
