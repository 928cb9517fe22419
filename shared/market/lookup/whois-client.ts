import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { DAY, MINUTE } from '../../platform/clock.ts';
import { type AbortRules, withAbort } from '../../platform/concurrency/deadline.ts';
import { createHostResolver, type ResolveHost } from '../../platform/outbound/dns.ts';
import { openGuarded } from '../../platform/outbound/guarded-connector.ts';
import {
  errorCode,
  OutboundError,
  type OutboundFailure,
} from '../../platform/outbound/outbound-error.ts';
import { type HostLimiter, isHostBlocked } from './host-limiter.ts';
import { WHOIS_QUESTIONS } from './known-registries.ts';
import { hostName } from './published-fields.ts';

/** A WHOIS server's answer, or that it can't be queried or did not answer. */
type WhoisOutcome =
  | { kind: 'text'; text: string }
  | { kind: 'busy'; retryAfterMs: number }
  | { kind: 'failed' };

export interface WhoisClient {
  /** Asks a server about a domain. Never throws. */
  ask(
    server: string,
    domain: string,
    deadlineMs: number,
    signal: AbortSignal,
  ): Promise<WhoisOutcome>;
  /** Leaves a server that refused us alone for `ms` milliseconds. */
  coolDown(server: string, ms: number): Promise<void>;
  /** Returns the WHOIS server of a TLD from IANA: null if there is none, undefined if IANA did not say. */
  serverOf(
    tld: string,
    deadlineMs: number,
    signal: AbortSignal,
  ): Promise<string | null | undefined>;
}

const WHOIS_PORT = 43;
const MAX_BYTES = 131_072;

/**
 * Creates a client for port 43 (RFC 3912).
 * @param root IANA's own server, `host` or `host:port`; the port also applies to the servers that IANA names
 */
export function createWhoisClient(deps: {
  lines: WhoisTransport;
  limiter: HostLimiter;
  root: string;
}): WhoisClient {
  const { lines, limiter, root } = deps;
  const [rootHost = '', rootPort = String(WHOIS_PORT)] = root.split(':');
  const port = Number(rootPort);
  const servers = new LRUCache<string, { server: string | null }>({ max: 2_000, ttl: 1 * DAY });

  const send = async (
    host: string,
    line: string,
    deadlineMs: number,
    signal: AbortSignal,
  ): Promise<WhoisOutcome> => {
    const answer = await limiter.run(`whois:${host}`, signal, () =>
      lines({ host, port, line, deadlineMs, maxBytes: MAX_BYTES, signal }),
    );
    if (isHostBlocked(answer)) {
      const { blocked, forMs } = answer;
      return blocked === 'failing' ? { kind: 'failed' } : { kind: 'busy', retryAfterMs: forMs };
    }
    const answered = answer.kind === 'answer' && answer.body.length > 0;
    if (answered || answer.kind === 'answer' || answer.reason !== 'aborted') {
      limiter.record(`whois:${host}`, answered);
    }
    return answered && !answer.truncated
      ? { kind: 'text', text: decoded(answer.body) }
      : { kind: 'failed' };
  };

  return {
    ask(server, domain, deadlineMs, signal) {
      const line = WHOIS_QUESTIONS[server]?.(domain) ?? domain;
      return send(server, line, deadlineMs, signal);
    },
    coolDown: (server, ms) => limiter.coolDown(`whois:${server}`, ms),
    async serverOf(tld, deadlineMs, signal) {
      const known = servers.get(tld);
      if (known) return known.server;
      const answer = await send(rootHost, tld, deadlineMs, signal);
      if (answer.kind !== 'text') return undefined;
      const [, named] = /^whois:[ \t]*(\S+)/im.exec(answer.text) ?? [];
      const isAbout = new RegExp(`^domain(?:-ace)?:[ \\t]*${tld}\\s*$`, 'im').test(answer.text);
      const server = named === undefined ? null : hostName(named);
      // An answer that is not about the TLD does not mean that it has no server.
      if (server === null && !isAbout) return undefined;
      servers.set(tld, { server }, { ttl: server === null ? 10 * MINUTE : 1 * DAY });
      return server;
    },
  };
}

/** Decodes UTF-8, or Latin-1 from older servers. */
function decoded(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return body.toString('latin1');
  }
}

export interface WhoisRequest {
  host: string;
  port: number;
  /** Sent with CRLF appended. */
  line: string;
  /** Milliseconds for everything, from DNS to the end of the answer. */
  deadlineMs: number;
  /** The answer is cut off past this many bytes (`truncated`). */
  maxBytes: number;
  signal?: AbortSignal;
}

type WhoisReply =
  | { kind: 'answer'; body: Buffer; truncated: boolean }
  | { kind: 'failure'; reason: OutboundFailure };

/** Sends a line and reads until the other side closes, as WHOIS does (RFC 3912). Never throws. */
export type WhoisTransport = (question: WhoisRequest) => Promise<WhoisReply>;

/** Creates a line client with the same address rules as the HTTP client. */
export function createWhoisTransport(options: {
  allowPrivate: boolean;
  resolve?: ResolveHost;
}): WhoisTransport {
  const { allowPrivate } = options;
  const resolve = options.resolve ?? createHostResolver({ systemNames: allowPrivate });
  return async (question) => {
    const rules = {
      deadlineMs: question.deadlineMs,
      late: () => new OutboundError('timeout', 'no complete answer in time'),
      signals: [[question.signal, () => new OutboundError('aborted', 'the caller gave up')]],
    } satisfies AbortRules;
    try {
      return await withAbort(rules, async (signal) => {
        const target = { host: question.host, port: question.port, secure: false };
        const socket = await openGuarded({ allowPrivate, resolve }, target, signal);
        return { kind: 'answer', ...(await exchangeLine(socket, question, signal)) };
      });
    } catch (error) {
      if (error instanceof OutboundError) return { kind: 'failure', reason: error.reason };
      if (errorCode(error) === 'unknown') throw error;
      return { kind: 'failure', reason: 'connection_failed' };
    }
  };
}

/** Uses events: an iterator would lose data that arrived but was not consumed when a reset follows. */
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
      // Many servers reset the connection after a complete answer.
      const complete = failure === undefined || (isReset(failure) && chunks.length > 0);
      if (complete) resolve({ body: Buffer.concat(chunks), truncated: room < 0 });
      else reject(failure);
    });
    if (signal.aborted) onAbort();
    else socket.write(`${line}\r\n`);
  });
}

const isReset = (error: unknown): boolean => ['ECONNRESET', 'EPIPE'].includes(errorCode(error));
