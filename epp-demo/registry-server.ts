import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import {
  createFrameDecoder,
  encodeFrame,
  MAX_FRAME_BYTES,
} from '../shared/domains/epp/epp-frame.ts';
import { EPP } from '../shared/domains/epp/epp-namespaces.ts';
import {
  childOf,
  EppXmlError,
  readXml,
  textOf,
  writeXml,
  type XmlElement,
} from '../shared/domains/epp/epp-xml.ts';
import { type Registry, type RegistrySession, verbOf } from './registry.ts';
import { createRegistryFaults, type RegistryFaults } from './registry-faults.ts';

export interface RegistryServer {
  readonly port: number;
  readonly faults: RegistryFaults;
  /** Open sessions that have logged in. */
  sessions(): number;
  /** Breaks every connection. */
  cutAll(): void;
  close(): Promise<void>;
}

/**
 * Serves a registry over TLS to clients that show a certificate of `ca`.
 * @param options.maxSessions logged in at a time for each account; one more is refused with 2502
 */
export async function startRegistryServer(options: {
  registry: Registry;
  tls: { ca: string; certificate: string; key: string };
  port: number;
  maxSessions: number;
  /** Told of each document that a client sends. */
  heard?: (document: string) => void;
  /** Gives the bytes that are sent in place of an answer to a command, for registries that write others. */
  rewrite?: (answer: string, command: string) => Uint8Array;
}): Promise<RegistryServer> {
  const { registry, tls, maxSessions, heard, rewrite } = options;
  const faults = createRegistryFaults();
  const open = new Map<TLSSocket, RegistrySession>();
  const loggedIn = (account: string | null) =>
    [...open.values()].filter((session) => session.account() === account).length;

  const server = createServer(
    {
      ca: tls.ca,
      cert: tls.certificate,
      key: tls.key,
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
    },
    (socket) => {
      const session = registry.openSession();
      const decoder = createFrameDecoder();
      open.set(socket, session);
      socket.setNoDelay(true);
      socket.on('close', () => open.delete(socket));
      socket.on('error', () => socket.destroy());
      socket.on('data', (chunk: Buffer) => {
        try {
          for (const bytes of decoder.push(chunk)) {
            heard?.(bytes.toString('utf8'));
            answer(socket, session, bytes);
          }
        } catch {
          socket.destroy();
        }
      });
      socket.write(frameOf(registry.greeting()));
    },
  );

  const answer = (socket: TLSSocket, session: RegistrySession, bytes: Buffer): void => {
    let document: XmlElement;
    try {
      document = readXml(bytes);
    } catch (error) {
      if (!(error instanceof EppXmlError)) throw error;
      socket.write(frameOf(session.refuse(2001)));
      return;
    }
    if (childOf(document, 'hello')) return void socket.write(frameOf(registry.greeting()));
    const command = document.namespace === EPP ? childOf(document, 'command') : undefined;
    if (!command) return void socket.write(frameOf(session.refuse(2001)));

    const fault = faults.take(verbOf(command));
    if (fault?.kind === 'cut_before') return void socket.destroy();
    if (fault?.kind === 'command_failed') {
      return void socket.write(frameOf(session.refuse(2400, command)));
    }
    const login = childOf(command, 'login');
    const isFull = login && loggedIn(textOf(login, 'clID')) >= maxSessions;
    if (fault?.kind === 'session_limit' || isFull) {
      return void socket.end(frameOf(session.refuse(2502, command)));
    }
    const { document: response, ends } = session.answer(command);
    const answer = writeXml(response);
    const frame = encodeFrame(rewrite ? rewrite(answer, verbOf(command)) : answer);
    switch (fault?.kind) {
      case 'cut_after':
        return void socket.destroy();
      case 'half_frame':
        return void socket.end(frame.subarray(0, frame.length / 2));
      case 'wrong_length':
        frame.writeUInt32BE(MAX_FRAME_BYTES + 1);
        return void socket.end(frame);
      case 'slow':
        return void setTimeout(() => socket.write(frame), fault.ms).unref();
      default:
        if (ends) socket.end(frame);
        else socket.write(frame);
    }
  };

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  const cutAll = () => {
    for (const socket of open.keys()) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    faults,
    sessions: () => [...open.values()].filter((session) => session.account() !== null).length,
    cutAll,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cutAll();
      }),
  };
}

const frameOf = (document: XmlElement): Buffer => encodeFrame(writeXml(document));
