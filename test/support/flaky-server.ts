import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Answer {
  status: number;
  body?: unknown;
  /** Sent unchanged, instead of `body` as JSON. */
  text?: string;
  headers?: Record<string, string>;
  /** Whether the connection breaks after the text. */
  unfinished?: boolean;
}

/** What one request gets: a response, a broken connection, or silence. */
type Reaction = Answer | 'break' | 'hang';

/** An HTTP server that stands in for the service and reacts to requests as scripted, in order. */
export interface FlakyServer {
  url: string;
  requests: SeenRequest[];
  /** Sets the next reactions; the last one repeats. */
  react(...reactions: Reaction[]): void;
  close(): Promise<void>;
}

export async function startFlakyServer(): Promise<FlakyServer> {
  const requests: SeenRequest[] = [];
  let planned: Reaction[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    const reaction = planned.length > 1 ? planned.shift() : planned[0];
    if (reaction === 'break') request.socket.destroy();
    else if (reaction !== 'hang') answer(response, reaction ?? { status: 200, body: {} });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    react(...reactions) {
      planned = reactions;
      requests.length = 0;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Returns an error in the service's format. */
export function refusal(status: number, code: string, headers: Record<string, string> = {}) {
  const error = { code, message: 'As the test wants it.', request_id: 'req_of_the_test' };
  return { status, body: { error }, headers };
}

function answer(response: ServerResponse, reaction: Answer): void {
  const text = reaction.text ?? JSON.stringify(reaction.body ?? {});
  response.writeHead(reaction.status, { 'Content-Type': 'application/json', ...reaction.headers });
  if (reaction.unfinished) response.write(text, () => response.destroy());
  else response.end(text);
}
