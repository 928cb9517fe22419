import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '../client.ts';
import { NotFoundError, WebhookVerificationError } from '../errors.ts';
import type { WebhookEvent } from '../generated/types.ts';
import { verifyWebhook } from '../webhooks.ts';
import type { Command, Surroundings } from './command.ts';
import { describeEvent } from './print-event.ts';
import { clientOf, UsageError } from './settings.ts';

const LONGEST_BODY = 1_000_000;

/** Receives webhooks on this machine, verifies them and prints them. */
export const listenCommand: Command = {
  usage: `domain-marketplace listen [--port <port>] [--webhook-secret <secret>] [--json]
                          [--register [--url <public url>] [--replace]]

  --register makes this the endpoint of the key until Ctrl-C: at --url, or at the address on this
  machine. It gives way to an endpoint that is there already, unless --replace is given, too.
  The secret is also read from WEBHOOK_SECRET; --register makes one up.`,
  words: 0,
  options: {
    port: { type: 'string' },
    'webhook-secret': { type: 'string' },
    json: { type: 'boolean' },
    register: { type: 'boolean' },
    url: { type: 'string' },
    replace: { type: 'boolean' },
  },
  async run(surroundings) {
    const { line, note, signal } = surroundings;
    const client = line.on('register') ? clientOf(line) : undefined;
    const secret = client
      ? (line.text('webhook-secret') ?? randomBytes(24).toString('hex'))
      : line.needed('webhook-secret', 'WEBHOOK_SECRET');
    const server = createServer((request, response) => {
      receive(surroundings, secret, request, response).catch((error: Error) => {
        note(`refused  ${error.message}`);
        response.writeHead(error instanceof WebhookVerificationError ? 401 : 400).end();
      });
    });
    await listening(server, portOf(line.text('port')));
    const local = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
    try {
      if (client) await register(client, line.text('url') ?? local, secret, line.on('replace'));
      note(`Listening at ${local}; Ctrl-C ends it.`);
      if (!signal.aborted) await once(signal, 'abort');
      if (client) await client.webhookEndpoints.remove();
    } finally {
      server.closeAllConnections?.();
      server.close();
    }
  },
};

async function listening(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new UsageError(`Port ${port} is in use. Choose another with --port.`);
  }
}

async function receive(
  { line, say }: Surroundings,
  secret: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > LONGEST_BODY) throw new Error('The body is too long for a webhook.');
    chunks.push(chunk);
  }
  const event = verifyWebhook({ body: Buffer.concat(chunks), headers: request.headers, secret });
  response.writeHead(200).end();
  say(line.on('json') ? JSON.stringify(event) : inFull(event));
}

/** The line of the event, and what it carries below it. */
function inFull(event: WebhookEvent): string {
  return `${describeEvent(event)}\n${JSON.stringify(event.data, null, 2).replace(/^/gm, '  ')}`;
}

async function register(client: Client, url: string, secret: string, replace: boolean) {
  if (!replace && (await hasEndpoint(client))) {
    throw new UsageError('The key has an endpoint already. Use --replace to replace it.');
  }
  await client.webhookEndpoints.register({ url, secret });
}

async function hasEndpoint(client: Client): Promise<boolean> {
  try {
    return (await client.webhookEndpoints.get()).active;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}

function portOf(text = '0'): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new UsageError('--port is a number up to 65535.');
}
