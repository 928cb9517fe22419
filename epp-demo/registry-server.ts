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
import {
  createRegistryFaults,
  type RegistryFault,
  type RegistryFaults,
} from './registry-faults.ts';

export interface RegistryServer {
  readonly port: number;
  readonly faults: RegistryFaults;
  /** Returns the number of logged-in sessions. */
  sessions(): number;
  /** Cuts every connection. */
  cutAll(): void;
  close(): Promise<void>;
}

interface RegistryServerOptions {
  registry: Registry;
  tls: { ca: string; certificate: string; key: string };
  port: number;
  /** The maximum number of sessions per account; another one is refused with 2502. */
  maxSessions: number;
  /** Called with each document that a client sends. */
  heard?: (document: string) => void;
  /** Returns the bytes to send instead of a response, to simulate registries that respond differently. */
  rewrite?: (answer: string, command: string) => Uint8Array;
}

/** Serves a registry over TLS to clients with a certificate of `ca`. */
export async function startRegistryServer(options: RegistryServerOptions): Promise<RegistryServer> {
  const { tls } = options;
  const faults = createRegistryFaults();
  const open = new Map<TLSSocket, RegistrySession>();
  const server = createServer(
    {
      ca: tls.ca,
      cert: tls.certificate,
      key: tls.key,
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
    },
    (socket) => converse({ ...options, faults, open }, socket),
  );
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
    sessions: () => [...open.values()].filter((session) => session.account !== null).length,
    cutAll,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cutAll();
      }),
  };
}

interface Scope extends RegistryServerOptions {
  faults: RegistryFaults;
  open: Map<TLSSocket, RegistrySession>;
}

/** Handles one connection: sends the greeting, then a response to each document. */
function converse(scope: Scope, socket: TLSSocket): void {
  const { registry, open, heard } = scope;
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
        answer(scope, socket, session, documentOf(bytes));
      }
    } catch {
      socket.destroy();
    }
  });
  socket.write(frameOf(registry.greeting()));
}

/** @param document undefined if the bytes are not a document */
function answer(
  scope: Scope,
  socket: TLSSocket,
  session: RegistrySession,
  document: XmlElement | undefined,
): void {
  const { registry, faults, rewrite } = scope;
  if (childOf(document, 'hello')) return void socket.write(frameOf(registry.greeting()));
  const command = document?.namespace === EPP ? childOf(document, 'command') : undefined;
  if (!command) return void socket.write(frameOf(session.refuse(2001)));

  const fault = faults.take(verbOf(command));
  if (fault?.kind === 'cut_before') return void socket.destroy();
  if (fault?.kind === 'command_failed') {
    return void socket.write(frameOf(session.refuse(2400, command)));
  }
  if (fault?.kind === 'session_limit' || isFull(scope, command)) {
    return void socket.end(frameOf(session.refuse(2502, command)));
  }
  const { document: response, ends } = session.answer(command);
  const text = writeXml(response);
  const frame = encodeFrame(rewrite ? rewrite(text, verbOf(command)) : text);
  if (fault) sendWithFault(socket, frame, fault);
  else if (ends) socket.end(frame);
  else socket.write(frame);
}

/** Sends the response to a carried-out command with the injected fault. */
function sendWithFault(socket: TLSSocket, frame: Buffer, fault: RegistryFault): void {
  switch (fault.kind) {
    case 'cut_after':
      socket.destroy();
      return;
    case 'half_frame':
      socket.end(frame.subarray(0, frame.length / 2));
      return;
    case 'wrong_length':
      frame.writeUInt32BE(MAX_FRAME_BYTES + 1);
      socket.end(frame);
      return;
    case 'slow':
      setTimeout(() => socket.write(frame), fault.ms).unref();
  }
}

/** Returns whether a login would exceed its account's session limit. */
function isFull({ open, maxSessions }: Scope, command: XmlElement): boolean {
  const login = childOf(command, 'login');
  if (!login) return false;
  const account = textOf(login, 'clID');
  return [...open.values()].filter((session) => session.account === account).length >= maxSessions;
}

function documentOf(bytes: Buffer): XmlElement | undefined {
  try {
    return readXml(bytes);
  } catch (error) {
    if (error instanceof EppXmlError) return undefined;
    throw error;
  }
}

const frameOf = (document: XmlElement): Buffer => encodeFrame(writeXml(document));
