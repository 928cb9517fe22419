import { once } from 'node:events';
import type { Socket } from 'node:net';
import { openGuarded } from './guarded-connector.ts';
import { createHostResolver, type ResolveHost } from './host-resolver.ts';
import { codeOf, OutboundError, type OutboundFailure } from './outbound-failure.ts';

export interface LineQuestion {
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

export type LineAnswer =
  | { kind: 'answer'; body: Buffer; truncated: boolean }
  | { kind: 'failure'; reason: OutboundFailure };

/** Sends a line and reads until the other side closes, as WHOIS does (RFC 3912). Never throws. */
export type LineClient = (question: LineQuestion) => Promise<LineAnswer>;

/** A line client under the same address rules as the HTTP client. */
export function createLineClient(options: {
  allowPrivate: boolean;
  resolve?: ResolveHost;
}): LineClient {
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
      return { kind: 'answer', ...(await converse(socket, question, cut.signal)) };
    } catch (error) {
      if (error instanceof OutboundError) return { kind: 'failure', reason: error.reason };
      if (codeOf(error) === 'unknown') throw error;
      return { kind: 'failure', reason: 'connection_failed' };
    } finally {
      clearTimeout(timer);
      question.signal?.removeEventListener('abort', onCallerAbort);
    }
  };
}

async function converse(
  socket: Socket,
  { line, maxBytes }: LineQuestion,
  signal: AbortSignal,
): Promise<{ body: Buffer; truncated: boolean }> {
  const onAbort = () => socket.destroy(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const chunks: Buffer[] = [];
  let room = maxBytes;
  try {
    socket.write(`${line}\r\n`);
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, room));
      // Leaving the loop destroys the socket.
      if (chunk.length > room) return { body: Buffer.concat(chunks), truncated: true };
      room -= chunk.length;
    }
    return { body: Buffer.concat(chunks), truncated: false };
  } catch (error) {
    // Many servers reset the connection behind a complete answer.
    if (codeOf(error) === 'ECONNRESET' && chunks.length > 0) {
      return { body: Buffer.concat(chunks), truncated: false };
    }
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    if (!socket.closed) {
      socket.destroy();
      await once(socket, 'close').catch(() => {});
    }
  }
}
