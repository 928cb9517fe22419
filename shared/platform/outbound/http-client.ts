import { Agent, type Dispatcher, errors } from 'undici';
import { MINUTE } from '../clock.ts';
import { inspectTarget, type TargetRules } from './address-guard.ts';
import { createHostResolver, type ResolveHost } from './dns.ts';
import { createGuardedConnector } from './guarded-connector.ts';
import { errorCode, OutboundError, type OutboundFailure } from './outbound-error.ts';

export type { OutboundFailure } from './outbound-error.ts';

export interface HttpClientOptions {
  /** Allows loopback and private addresses (development); metadata addresses are always refused. */
  allowPrivate: boolean;
  /**
   * Maximum connections to one origin; further requests wait, and the wait counts toward their deadline. Unlimited by
   * default: partners may share an origin, and a slow one must not hold up the others.
   */
  maxSocketsPerOrigin?: number;
  /** Replaces DNS in tests. Its answers are still vetted. */
  resolve?: ResolveHost;
  /** PEM certificates to trust instead of the system's roots. */
  ca?: string;
  /** When to open new connections, so that we notice when a name moves to another address; a minute by default. */
  reconnectMs?: number;
}

export interface OutboundRequest {
  method: 'GET' | 'POST' | 'HEAD';
  url: string;
  headers?: Record<string, string>;
  body?: Buffer | string;
  /** Milliseconds for the whole request: waiting for a socket, DNS, connect, TLS, headers and body. */
  deadlineMs: number;
  /** We cut the body off after this many bytes and drop the connection. */
  maxResponseBytes: number;
  requireHttps?: boolean;
  signal?: AbortSignal;
}

export type Truncation = 'too_long' | 'unfinished';

export type OutboundResult =
  | {
      kind: 'response';
      status: number;
      /** With lower-case names; repeated headers are joined with a comma. */
      headers: Record<string, string>;
      body: Buffer;
      /** Why the body is incomplete: it was too long, or the deadline passed or the connection broke before its end. */
      truncated: Truncation | false;
      elapsedMs: number;
    }
  | { kind: 'failure'; reason: OutboundFailure; detail: string; elapsedMs: number };

export interface HttpClient {
  /**
   * Never throws for what the network or the server does, and never follows a redirect. Once status and headers are in,
   * the result is a response, whatever happens to its body. If the server had already closed a kept-alive connection,
   * the request is sent again at once on a new one.
   */
  request(r: OutboundRequest): Promise<OutboundResult>;
  /** Drops every connection; pending requests end as `aborted`. */
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;
const MAX_TARGETS = 1_000;

/**
 * The only client for URLs that a partner or buyer chose: addresses are resolved once, vetted and pinned, requests are
 * limited in time and size, connections are kept alive. No redirects, and no proxy from the environment.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { allowPrivate, reconnectMs = MINUTE } = options;
  const connector = createGuardedConnector({
    allowPrivate,
    resolve: options.resolve ?? createHostResolver({ systemNames: allowPrivate }),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });
  const openAgent = ({ keepAlive } = { keepAlive: true }) =>
    new Agent({
      connect: connector.connect,
      connections: options.maxSocketsPerOrigin ?? null,
      pipelining: keepAlive ? 1 : 0,
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 30_000,
      maxHeaderSize: 16_384,
      // Our own deadline replaces undici's coarser timers.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  /** Uses each connection only once. */
  const fresh = openAgent({ keepAlive: false });
  const agents = {
    current: openAgent(),
    since: performance.now(),
    closing: new Set<Agent>([fresh]),
  };
  /** We don't use undici's own age limit: it checks every connection of an origin on each request. */
  const agentAt = (now: number): Agent => {
    if (now - agents.since > reconnectMs) {
      const old = agents.current;
      agents.current = openAgent();
      agents.since = now;
      agents.closing.add(old);
      // It first finishes pending requests.
      old.close().finally(() => agents.closing.delete(old));
    }
    return agents.current;
  };
  const inspect = rememberTargets(allowPrivate);
  /** One callback per pending request, which ends it. */
  const underWay = new Set<(error: OutboundError) => void>();
  let closed = false;

  return {
    async request(r) {
      const startedAt = performance.now();
      const elapsedMs = () => Math.round(performance.now() - startedAt);
      const target = inspect(r.url, r.requireHttps === true);
      try {
        if ('refused' in target) {
          throw new OutboundError(target.refused, `the URL ${target.message}`);
        }
        if (closed) throw clientClosed();
        const send = (agent: Agent) =>
          exchange(agent, target.url, r, r.deadlineMs - elapsedMs(), underWay);
        const answer = await send(agentAt(startedAt)).catch((error: Error) => {
          if (!connector.isStale(error)) throw error;
          return send(fresh);
        });
        return { kind: 'response', ...answer, elapsedMs: elapsedMs() };
      } catch (thrown) {
        const { reason, message } = outboundError(thrown);
        return { kind: 'failure', reason, detail: message, elapsedMs: elapsedMs() };
      }
    },
    async close() {
      closed = true;
      for (const end of underWay) end(clientClosed());
      connector.close();
      await Promise.all([agents.current, ...agents.closing].map((agent) => agent.destroy()));
    },
  };
}

/** Caches inspected targets, since we call the same few endpoints again and again. */
function rememberTargets(allowPrivate: boolean) {
  const known = new Map<string, ReturnType<typeof inspectTarget>>();
  return (url: string, requireHttps: boolean) => {
    const key = `${requireHttps} ${url}`;
    const found = known.get(key) ?? inspectTarget(url, { allowPrivate, requireHttps });
    if (known.size >= MAX_TARGETS) known.clear();
    known.set(key, found);
    return found;
  };
}

/**
 * Checks a URL before it is saved. Returns what is wrong, as the rest of a sentence that starts with the field's name,
 * or null. Doesn't query DNS; each request vets the addresses itself.
 */
export function describeForbiddenTarget(url: string, o: TargetRules): string | null {
  const verdict = inspectTarget(url, o);
  return 'refused' in verdict ? verdict.message : null;
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  truncated: Truncation | false;
}

/**
 * Sends one request with undici's low-level dispatch handler: its promises, streams and abort signals would cost more
 * time than everything else. Settles at the deadline even if there is no socket yet.
 */
function exchange(
  agent: Agent,
  url: URL,
  r: OutboundRequest,
  leftMs: number,
  underWay: Set<(error: OutboundError) => void>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let given: OutboundError | undefined;
    let status = 0;
    let headers: Record<string, string> = {};
    const chunks: Buffer[] = [];
    let room = r.maxResponseBytes;

    const settle = () => {
      clearTimeout(timer);
      underWay.delete(giveUp);
      r.signal?.removeEventListener('abort', onAbort);
    };
    const giveUp = (error: OutboundError) => {
      given = error;
      settle();
      reject(error);
      controller?.abort(error);
    };
    const onAbort = () => giveUp(callerAborted());
    const answer = (truncated: Truncation | false) => {
      settle();
      resolve({ status, headers, body: Buffer.concat(chunks), truncated });
    };
    const timer = setTimeout(() => {
      const late = deadlinePassed(r.deadlineMs);
      if (status === 0) return giveUp(late);
      answer('unfinished');
      controller?.abort(late);
    }, leftMs);
    underWay.add(giveUp);
    // undici would open a connection even for a request that was aborted before it started.
    if (r.signal?.aborted) return onAbort();
    r.signal?.addEventListener('abort', onAbort);

    agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: r.method,
        headers: r.headers ?? {},
        body: r.body ?? null,
      },
      {
        onRequestStart(started) {
          controller = started;
          if (given) started.abort(given);
        },
        onResponseStart(_controller, code, received) {
          // An informational response such as 103 is not the answer.
          if (code < 200) return;
          status = code;
          headers = flatten(received);
        },
        onResponseData(receiving, chunk) {
          chunks.push(chunk.subarray(0, room));
          if (chunk.length > room) {
            answer('too_long');
            receiving.abort(new OutboundError('aborted', 'the answer is too long'));
          }
          room -= chunk.length;
        },
        onResponseEnd: () => answer(false),
        onResponseError(_controller, error) {
          if (status !== 0) return answer('unfinished');
          settle();
          reject(error);
        },
      },
    );
  });
}

function flatten(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}

const deadlinePassed = (deadlineMs: number) =>
  new OutboundError('timeout', `no complete answer within ${deadlineMs} ms`);

const clientClosed = () => new OutboundError('aborted', 'the client was closed');

const callerAborted = () => new OutboundError('aborted', 'the request was given up');

/** Translates what undici threw. @throws the error itself if it is our mistake, such as a malformed header. */
function outboundError(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = errorCode(error);
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') {
    return clientClosed();
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new OutboundError('connection_failed', 'the headers of the answer are too large');
  }
  if (error instanceof errors.HTTPParserError) {
    return new OutboundError('connection_failed', 'the answer is not valid HTTP');
  }
  if (error instanceof errors.SocketError && error.message === 'other side closed') {
    return new OutboundError('connection_failed', 'the server closed the connection unanswered');
  }
  // A server that requires a client certificate rejects us only after the handshake.
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) {
    return new OutboundError('tls_failure', `the TLS connection failed (${code})`);
  }
  if (code === 'UND_ERR_INVALID_ARG' || error instanceof TypeError) throw error;
  return new OutboundError('connection_failed', `the connection failed (${code})`);
}
