import { connect, type TLSSocket } from 'node:tls';
import { type AbortRules, withAbort } from '../../platform/concurrency/deadline.ts';
import { errorCode } from '../../platform/outbound/outbound-error.ts';
import { EppUnanswered, EppUnreachable, EppUnreadable } from './epp-errors.ts';
import { createFrameDecoder, EppFrameError, encodeFrame } from './epp-frame.ts';
import { readAnswerXml, writeXml, type XmlElement } from './epp-xml.ts';

/** The address of a registry, and the certificates of both sides. Certificates and keys are PEM. */
export interface EppEndpoint {
  host: string;
  port: number;
  /** The CA of the registry's certificate, if the system does not trust it already. */
  ca?: string | undefined;
  /** Our client certificate, which most registries require. */
  certificate?: string | undefined;
  key?: string | undefined;
}

export interface EppTimeouts {
  /** Milliseconds from the DNS lookup to the greeting. */
  connectMs: number;
  /** Milliseconds to wait for the response to a command. */
  answerMs: number;
}

/** A received document and its bytes. */
export interface EppDocument {
  root: XmlElement;
  bytes: Uint8Array;
}

/** One TLS connection to a registry, with one request and one response at a time. */
export class EppConnection {
  /** The registry's first document. */
  readonly greeting: XmlElement;
  readonly #socket: TLSSocket;
  readonly #documents: Documents;
  readonly #answerMs: number;

  constructor(socket: TLSSocket, documents: Documents, greeting: XmlElement, answerMs: number) {
    this.greeting = greeting;
    this.#socket = socket;
    this.#documents = documents;
    this.#answerMs = answerMs;
  }

  /**
   * Sends a document and reads the response.
   * @throws EppUnreachable if it was not sent, EppUnanswered if no response arrived, EppUnreadable if the response is
   * not a valid document; each closes the connection
   */
  async exchange(document: XmlElement): Promise<EppDocument> {
    const frame = encodeFrame(writeXml(document));
    if (!this.isOpen()) throw new EppUnreachable('the connection had ended');
    this.#socket.write(frame);
    try {
      return await withAbort(within(this.#answerMs), this.#documents.next);
    } catch (error) {
      // A late response would be taken for the response to another command.
      this.#socket.destroy();
      if (error instanceof EppUnreadable) throw error;
      const message = `no answer from the registry (${reasonOf(error)})`;
      throw new EppUnanswered(message, { cause: error });
    }
  }

  isOpen(): boolean {
    return !this.#documents.hasEnded();
  }

  /** Calls the listener once when the connection has ended. */
  onClose(listener: () => void): void {
    this.#socket.once('close', listener);
  }

  close(): void {
    this.#socket.end();
    this.#socket.destroySoon();
  }
}

/**
 * Opens a connection (RFC 5734) and waits for the greeting.
 * @throws EppUnreachable, or the abort reason of `signal`
 */
export async function openEppConnection(
  { host, port, ca, certificate, key }: EppEndpoint,
  { connectMs, answerMs }: EppTimeouts,
  signal: AbortSignal,
): Promise<EppConnection> {
  const socket = connect({
    host,
    port,
    ...(ca !== undefined && { ca }),
    ...(certificate !== undefined && { cert: certificate }),
    ...(key !== undefined && { key }),
    minVersion: 'TLSv1.2',
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off.
    rejectUnauthorized: true,
  });
  socket.setNoDelay(true).setKeepAlive(true, 30_000);
  const documents = readDocuments(socket);
  try {
    const { root } = await withAbort(within(connectMs, signal), documents.next);
    return new EppConnection(socket, documents, root, answerMs);
  } catch (error) {
    socket.destroy();
    if (signal.aborted) throw signal.reason;
    const message = `no greeting from the registry (${reasonOf(error)})`;
    throw new EppUnreachable(message, { cause: error });
  }
}

function within(deadlineMs: number, outer?: AbortSignal): AbortRules {
  const late = () => new Error('the registry took too long');
  return { deadlineMs, late, signals: [[outer]] };
}

function reasonOf(error: unknown): string {
  const code = errorCode(error);
  return code === 'unknown' && error instanceof Error ? error.message : code;
}

interface Documents {
  /** Waits for the next document. @throws the error that ended the connection, or the abort reason of `signal` */
  next(signal: AbortSignal): Promise<EppDocument>;
  hasEnded(): boolean;
}

/** Reads the documents of a socket, one per call. An unexpected document ends the connection. */
function readDocuments(socket: TLSSocket): Documents {
  const decoder = createFrameDecoder({ keepHead: true });
  let waiting:
    | { resolve: (document: EppDocument) => void; reject: (error: unknown) => void }
    | undefined;
  let ended: unknown;

  const end = (error: unknown) => {
    if (ended !== undefined) return;
    ended = error;
    socket.destroy();
    waiting?.reject(error);
    waiting = undefined;
  };
  socket.on('data', (chunk: Buffer) => {
    try {
      for (const bytes of decoder.push(chunk)) {
        if (!waiting) throw new Error('the registry sent what was not asked for');
        const { resolve } = waiting;
        const root = readRoot(bytes);
        waiting = undefined;
        resolve({ root, bytes });
      }
    } catch (error) {
      const head = error instanceof EppFrameError ? error.head : undefined;
      end(head ? new EppUnreadable('the answer is too long', head, { cause: error }) : error);
    }
  });
  socket.on('error', end);
  socket.on('end', () => end(new Error('the registry closed the connection')));
  socket.on('close', () => end(new Error('the connection was closed')));

  return {
    next: (signal) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(ended);
        if (signal.aborted) return reject(signal.reason);
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        waiting = { resolve, reject };
      }),
    hasEnded: () => ended !== undefined || !socket.writable,
  };
}

/** @throws EppUnreadable */
function readRoot(bytes: Uint8Array): XmlElement {
  try {
    return readAnswerXml(bytes);
  } catch (error) {
    throw new EppUnreadable(reasonOf(error), bytes, { cause: error });
  }
}
