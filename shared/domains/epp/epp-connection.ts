import { connect, type TLSSocket } from 'node:tls';
import { type AbortRules, withAbort } from '../../platform/concurrency/deadline.ts';
import { errorCode } from '../../platform/outbound/outbound-error.ts';
import { EppUnanswered, EppUnreachable, EppUnreadable } from './epp-errors.ts';
import { createFrameDecoder, EppFrameError, encodeFrame } from './epp-frame.ts';
import { readAnswerXml, writeXml, type XmlElement } from './epp-xml.ts';

/** Where a registry listens, and how both sides show who they are. Certificates and keys are PEM. */
export interface EppEndpoint {
  host: string;
  port: number;
  /** Who signs the registry's certificate, when the system does not know them. */
  ca?: string | undefined;
  /** Ours, which most registries ask for. */
  certificate?: string | undefined;
  key?: string | undefined;
}

export interface EppTimeouts {
  /** Milliseconds from DNS to the greeting. */
  connectMs: number;
  /** Milliseconds for the answer to a command. */
  answerMs: number;
}

/** A document that came, and its bytes. */
export interface EppDocument {
  root: XmlElement;
  bytes: Uint8Array;
}

/** One TLS connection to a registry, on which one document at a time is answered by one. */
export interface EppConnection {
  /** The registry's first document. */
  readonly greeting: XmlElement;
  /**
   * Sends a document and reads the answer.
   * @throws EppUnreachable when it was not sent, EppUnanswered when it was, EppUnreadable when what came is no
   * document; the connection is closed after each
   */
  exchange(document: XmlElement): Promise<EppDocument>;
  isOpen(): boolean;
  /** Called once, when the connection has ended. */
  onClose(listener: () => void): void;
  close(): void;
}

/**
 * Opens a connection (RFC 5734) and waits for the greeting.
 * @throws EppUnreachable, or the reason of `signal`
 */
export async function openEppConnection(
  endpoint: EppEndpoint,
  { connectMs, answerMs }: EppTimeouts,
  signal: AbortSignal,
): Promise<EppConnection> {
  const { host, port, ca, certificate, key } = endpoint;
  const socket = connect({
    host,
    port,
    ...(ca !== undefined && { ca }),
    ...(certificate !== undefined && { cert: certificate }),
    ...(key !== undefined && { key }),
    minVersion: 'TLSv1.2',
    // Said aloud, so that NODE_TLS_REJECT_UNAUTHORIZED can't switch it off.
    rejectUnauthorized: true,
  });
  socket.setNoDelay(true).setKeepAlive(true, 30_000);
  const documents = readDocuments(socket);
  const within = (deadlineMs: number, outer?: AbortSignal) =>
    ({
      deadlineMs,
      late: () => new Error('the registry took too long'),
      signals: [[outer]],
    }) satisfies AbortRules;

  const greeting = await withAbort(within(connectMs, signal), documents.next).catch(
    (error: unknown) => {
      socket.destroy();
      if (signal.aborted) throw signal.reason;
      throw new EppUnreachable(`no greeting from the registry (${reasonOf(error)})`, {
        cause: error,
      });
    },
  );

  return {
    greeting: greeting.root,
    async exchange(document) {
      const frame = encodeFrame(writeXml(document));
      if (documents.hasEnded()) throw new EppUnreachable('the connection had ended');
      socket.write(frame);
      try {
        return await withAbort(within(answerMs), documents.next);
      } catch (error) {
        // What comes later would be taken for the answer to another command.
        socket.destroy();
        if (error instanceof EppUnreadable) throw error;
        throw new EppUnanswered(`no answer from the registry (${reasonOf(error)})`, {
          cause: error,
        });
      }
    },
    isOpen: () => !documents.hasEnded(),
    onClose: (listener) => {
      socket.once('close', listener);
    },
    close: () => {
      socket.end();
      socket.destroySoon();
    },
  };
}

function reasonOf(error: unknown): string {
  const code = errorCode(error);
  return code === 'unknown' && error instanceof Error ? error.message : code;
}

/** The documents of a socket, one for each call. A document that nobody waits for ends the connection. */
function readDocuments(socket: TLSSocket) {
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
    /** @throws what ended the connection, or the reason of `signal` */
    next: (signal: AbortSignal): Promise<EppDocument> =>
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
