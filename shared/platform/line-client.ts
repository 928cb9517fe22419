import type { Socket } from 'node:net';
import { openGuarded } from './guarded-connector.ts';
import { createHostResolver, type ResolveHost } from './host-resolver.ts';
import { errorCode, OutboundError, type OutboundFailure } from './outbound-failure.ts';

export interface WhoisRequest {
  host: string;
  port: number;
  /** Sent with CRLF behind it. */
  line: string;
  /** Milliseconds for everything, from DNS to the end of the answer. */
  deadlineMs: number;
  /** The answer is cut off past this many bytes (`truncated`). */
  maxBytes: number;
  signal?: AbortSignal;
}

export type WhoisReply =
  | { kind: 'answer'; body: Buffer; truncated: boolean }
  | { kind: 'failure'; reason: OutboundFailure };

/** Sends a line and reads until the other side closes, as WHOIS does (RFC 3912). Never throws. */
export type WhoisTransport = (question: WhoisRequest) => Promise<WhoisReply>;

/** A line client under the same address rules as the HTTP client. */
export function createWhoisTransport(options: {
  allowPrivate: boolean;
  resolve?: ResolveHost;
}): WhoisTransport {
  const { allowPrivate } = options;
  const resolve = options.resolve ?? createHostResolver({ systemNames: allowPrivate });
  return async (question) => {
    const cut = new AbortController();
    const timer = setTimeout(
      () => cut.abort(new OutboundError('timeout', 'no complete answer in time')),
      question.deadlineMs,
    );
    const onCallerAbort = () => cut.abort(new OutboundError('aborted', 'the caller gave up'));
    question.signal?.addEventListener('abort', onCallerAbort, { once: true });
    if (question.signal?.aborted) onCallerAbort();
    try {
      const target = { host: question.host, port: question.port, secure: false };
      const socket = await openGuarded({ allowPrivate, resolve }, target, cut.signal);
      return { kind: 'answer', ...(await exchangeLine(socket, question, cut.signal)) };
    } catch (error) {
      if (error instanceof OutboundError) return { kind: 'failure', reason: error.reason };
      if (errorCode(error) === 'unknown') throw error;
      return { kind: 'failure', reason: 'connection_failed' };
    } finally {
      clearTimeout(timer);
      question.signal?.removeEventListener('abort', onCallerAbort);
    }
  };
}

/** Reads by events: an iterator loses what has arrived but not been asked for when a reset follows it. */
function exchangeLine(
  socket: Socket,
  { line, maxBytes }: WhoisRequest,
  signal: AbortSignal,
): Promise<{ body: Buffer; truncated: boolean }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let room = maxBytes;
    let failure: unknown;
    const onAbort = () => socket.destroy(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk.subarray(0, Math.max(0, room)));
      room -= chunk.length;
      if (room < 0) socket.destroy();
    });
    socket.once('error', (error) => {
      failure = error;
    });
    socket.once('close', () => {
      signal.removeEventListener('abort', onAbort);
      // Many servers reset the connection behind a complete answer.
      const complete = failure === undefined || (isReset(failure) && chunks.length > 0);
      if (complete) resolve({ body: Buffer.concat(chunks), truncated: room < 0 });
      else reject(failure);
    });
    if (signal.aborted) onAbort();
    else socket.write(`${line}\r\n`);
  });
}

const isReset = (error: unknown): boolean => ['ECONNRESET', 'EPIPE'].includes(errorCode(error));
