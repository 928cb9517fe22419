import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { randomBase62 } from '../../shared/platform/ids.ts';
import type { LoadShedding } from './load-shedding.ts';

/** Longer than a proxy's idle timeout, so that the proxy closes first. */
const KEEP_ALIVE_MS = 75_000;
const REQUEST_MS = 30_000;
/** How often connections are checked for requests that take too long to arrive. */
const CHECK_MS = 5_000;
/** The event emitted on each open response when the server stops, for streams that do not end by themselves. */
export const STOPPING = 'server-stopping';

/** An HTTP server that can stop without dropping open requests. */
export interface ApiServer {
  server: Server;
  /** Stops accepting requests, finishes the open ones, and cuts off the rest after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Creates a server for `handler`; malformed HTTP gets the error envelope too. A request must arrive in full within
 * `requestMs`, or its connection is closed at the next check.
 */
export function createApiServer(
  handler: RequestListener,
  {
    requestMs = REQUEST_MS,
    checkMs = CHECK_MS,
    shedding,
  }: { requestMs?: number; checkMs?: number; shedding?: LoadShedding } = {},
): ApiServer {
  const underWay = new Set<ServerResponse>();
  let stopping = false;
  const answer: RequestListener = (req, res) => {
    underWay.add(res);
    res.once('close', () => {
      underWay.delete(res);
      // The headers may have been sent before the server began to stop, so close the connection now.
      if (stopping) setImmediate(() => server.closeIdleConnections());
    });
    if (stopping) res.setHeader('Connection', 'close');
    req.url = originForm(req.url ?? '/');
    const fault = hostFault(req);
    if (fault) refuse({ code: fault }, req.socket);
    else if (shedding) shedding.admit(req, res, () => handler(req, res));
    else handler(req, res);
  };
  const server = createServer(
    {
      requestTimeout: requestMs,
      headersTimeout: requestMs,
      connectionsCheckingInterval: checkMs,
      // Checked by hostFault(): Node's own refusal has no body and no request ID.
      requireHostHeader: false,
    },
    answer,
  );
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  // An unknown `Expect` header does not fail the request.
  server.on('checkExpectation', answer);
  server.on('clientError', refuse);

  return {
    server,
    async stop(graceMs) {
      stopping = true;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      for (const res of underWay) {
        if (!res.headersSent) res.setHeader('Connection', 'close');
        res.emit(STOPPING);
      }
      const force = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(force);
      shedding?.stop();
    },
  };
}

const NO_HOST = 'NO_HOST';
const TWO_HOSTS = 'TWO_HOSTS';
const REFUSALS: Readonly<Record<string, string>> = {
  [NO_HOST]: 'The request has no Host header.',
  [TWO_HOSTS]: 'The request has more than one Host header.',
  HPE_HEADER_OVERFLOW: 'The request headers are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
};

const SCHEME_AND_HOST = /^https?:\/\/[^/?#]*/i;

/** Removes scheme and host from the request target. Clients may send both (RFC 9112, 3.2.2), but they sign the path. */
function originForm(target: string): string {
  const origin = target.replace(SCHEME_AND_HOST, '');
  return origin.startsWith('/') || origin === '*' ? origin : `/${origin}`;
}

/**
 * Returns what is wrong with a request's Host (RFC 9112, 3.2), if anything. HTTP/1.1 needs one, and proxies disagree
 * about which of two counts; Node takes the first.
 */
function hostFault({ rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return TWO_HOSTS;
  return hosts === 0 && httpVersion === '1.1' ? NO_HOST : undefined;
}

/** Responds to requests that cannot be parsed as HTTP and never reach Express. */
function refuse(error: { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const requestId = `req_${randomBase62(22)}`;
  const message = REFUSALS[error.code ?? ''] ?? 'The request is not valid HTTP/1.1.';
  const body = JSON.stringify({
    error: { code: 'validation_error', message, request_id: requestId },
  });
  socket.end(
    [
      'HTTP/1.1 400 Bad Request',
      `X-Request-Id: ${requestId}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
