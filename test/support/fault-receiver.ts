import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { TEST_CERTIFICATE, TEST_PRIVATE_KEY } from './tls-fixture.ts';

/** A loopback server that misbehaves on purpose, at the byte level. */
export interface FaultReceiver {
  port: number;
  url: string;
  /** TCP connections accepted so far. */
  connections: number;
  /** The raw text of each received request head and body, by connection. */
  received: string[];
  /** Resolves when every connection so far is closed. */
  drained(): Promise<void>;
  close(): Promise<void>;
}

export type Misbehaviour = (socket: Socket, receiver: FaultReceiver) => void;

/** Starts a receiver that calls `behave` once a connection has sent its first bytes. */
export function startReceiver(behave: Misbehaviour, o: { host?: string } = {}) {
  return start(createServer(), 'connection', behave, 'http', o.host);
}

/** Like {@link startReceiver}, over TLS, with a certificate that only its own `ca` trusts. */
export function startTlsReceiver(behave: Misbehaviour) {
  const server = createTlsServer({ cert: TEST_CERTIFICATE, key: TEST_PRIVATE_KEY });
  return start(server, 'secureConnection', behave, 'https', undefined);
}

/** Calls `behave` as soon as a connection is accepted, before any byte arrives. */
export function startSilentReceiver(behave: (socket: Socket) => void = () => {}) {
  const server = createServer();
  server.on('connection', behave);
  return start(server, 'connection', () => {}, 'http', undefined);
}

async function start(
  server: Server,
  event: 'connection' | 'secureConnection',
  behave: Misbehaviour,
  scheme: string,
  host = '127.0.0.1',
): Promise<FaultReceiver> {
  const sockets = new Set<Socket>();
  const received: string[] = [];
  server.on('connection', (socket: Socket) => {
    receiver.connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  server.on(event, (socket: Socket) => {
    const index = received.push('') - 1;
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      const first = received[index] === '';
      received[index] += chunk.toString('latin1');
      if (first) behave(socket, receiver);
    });
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver: FaultReceiver = {
    port,
    url: `${scheme}://${host}:${port}/hook`,
    connections: 0,
    received,
    async drained() {
      const open = [...sockets].filter((socket) => !socket.destroyed);
      await Promise.all(open.map((socket) => new Promise((done) => socket.once('close', done))));
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

/** Writes `text` every `everyMs` until the connection closes. */
export function drip(socket: Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.on('close', () => clearInterval(timer));
}

/** Writes endlessly, as fast as the other side reads. */
export function flood(socket: Socket, block: Buffer): void {
  const pour = () => {
    while (!socket.destroyed && socket.write(block));
  };
  socket.on('drain', pour);
  pour();
}

/** Returns a complete HTTP/1.1 response that leaves the connection open. */
export function answer(status: string, headers: Record<string, string> = {}, body = ''): string {
  const lines = Object.entries({ 'content-length': String(body.length), ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${status}\r\n${head}\r\n${body}`;
}
