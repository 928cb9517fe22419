import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { randomBase62 } from '../../shared/platform/ids.ts';

/** Longer than a proxy's own idle time, so that the proxy closes first. */
const KEEP_ALIVE_MS = 75_000;
const REQUEST_MS = 30_000;
/** Told to each response that is under way when the server stops, for those that have no end of their own. */
export const STOPPING = 'server-stopping';

/** An HTTP server that can stop without dropping what it is answering. */
export interface ApiServer {
  server: Server;
  /** Takes nothing new, answers what is under way, and cuts off what hangs after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Serves `handler`; whatever is no HTTP request gets the error envelope as well. */
export function createApiServer(handler: RequestListener): ApiServer {
  const underWay = new Set<ServerResponse>();
  let stopping = false;
  const answer: RequestListener = (req, res) => {
    underWay.add(res);
    res.once('close', () => {
      underWay.delete(res);
      // Its headers may have gone out before there was a reason to close the connection.
      if (stopping) setImmediate(() => server.closeIdleConnections());
    });
    if (stopping) res.setHeader('Connection', 'close');
    handler(req, res);
  };
  const server = createServer({ requestTimeout: REQUEST_MS }, answer);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  // An `Expect` that we do not know is no reason to refuse a request.
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
    },
  };
}

const REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request headers are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
};

/** Answers what could not be read as HTTP, before Express can. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
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
