import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
export interface ReceivedWebhook {
  headers: IncomingHttpHeaders;
  /** The exact bytes. */
  body: Buffer;
  /** The parsed body. */
  event: { id: string; type: string; created_at: string; partner_id: string; data: unknown };
  /** Machine time. */
  at: number;
  /** The status of the response; null while it is held open. */
  status: number | null;
}

interface ReceiverAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** An HTTP server on a free port that acts as a partner's webhook endpoint. */
export interface WebhookReceiver {
  url: string;
  received: ReceivedWebhook[];
  /** The number of requests currently held open, and the highest number ever. */
  readonly underWay: number;
  readonly mostUnderWay: number;
  /** Sets the response from now on; a function decides for each request, at once or later. */
  answer(
    next: ReceiverAnswer | ((request: ReceivedWebhook) => ReceiverAnswer | Promise<ReceiverAnswer>),
  ): void;
  /** Accepts requests from now on and never responds. */
  hang(): void;
  /** Resolves with the first `count` requests once they arrive. @throws Error after `withinMs` */
  waitFor(count: number, options?: { withinMs?: number }): Promise<ReceivedWebhook[]>;
  close(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  let respond: (request: ReceivedWebhook) => ReceiverAnswer | Promise<ReceiverAnswer> | undefined =
    () => ({ status: 200 });
  let underWay = 0;
  let mostUnderWay = 0;
  const waiting = new Set<() => void>();

  const handle = async (req: IncomingMessage, res: ServerResponse) => {
    underWay += 1;
    mostUnderWay = Math.max(mostUnderWay, underWay);
    res.on('close', () => {
      underWay -= 1;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const request: ReceivedWebhook = {
      headers: req.headers,
      body,
      event: JSON.parse(`${body}`),
      at: Date.now(),
      status: null,
    };
    received.push(request);
    for (const look of waiting) look();
    const answer = await respond(request);
    request.status = answer?.status ?? null;
    if (answer) res.writeHead(answer.status, answer.headers).end(answer.body);
  };
  const server = createServer((req, res) => {
    // A sender that disconnects during a request is not a failure of the receiver.
    handle(req, res).catch(() => res.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    get underWay() {
      return underWay;
    },
    get mostUnderWay() {
      return mostUnderWay;
    },
    answer(next) {
      respond = typeof next === 'function' ? next : () => next;
    },
    hang() {
      respond = () => undefined;
    },
    async waitFor(count, { withinMs = 150_000 } = {}) {
      await new Promise<void>((resolve, reject) => {
        const end = (settle: () => void) => {
          clearTimeout(timer);
          waiting.delete(look);
          settle();
        };
        const look = () => {
          if (received.length >= count) end(resolve);
        };
        const late = () =>
          reject(new Error(`${received.length} of ${count} webhooks after ${withinMs} ms`));
        const timer = setTimeout(() => end(late), withinMs);
        waiting.add(look);
        look();
      });
      return received.slice(0, count);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
