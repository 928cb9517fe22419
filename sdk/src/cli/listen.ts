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
import { type CommandLine, clientOf, UsageError } from './settings.ts';
import { nowFor, timeOf } from './time.ts';

const LONGEST_BODY = 1_000_000;
const FORWARD_MS = 4_500;
/** Headers that belong to the connection from the service. */
const OF_THE_CONNECTION = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

/** Receives webhooks on this machine, verifies, prints and forwards them. */
export const listenCommand: Command = {
  usage: `domain-marketplace listen [--forward-to <url>] [--events <types>] [--since <time>] [--json]
                          [--register] [--replace] [--url <public url>]
                          [--port <port>] [--webhook-secret <secret>]

  --forward-to passes each webhook on to your server and answers what it answers. It makes an endpoint
  of its own until Ctrl-C, beside those of the key, as do --register, --events and --since.
  --events is a comma-separated list of types and patterns, such as order.*,transfer.completed.
  --since also sends what happened since then (a date, a date-time, or 30m, 2h, 7d); without it you
  get nothing older than the start.
  --replace points the endpoint "default" here instead, and back on Ctrl-C; give its --webhook-secret.
  --url is where the service reaches this machine, if that is not its own address.
  The secret is also read from WEBHOOK_SECRET; a new endpoint gets a new one unless you give it.`,
  words: 0,
  options: {
    'forward-to': { type: 'string' },
    events: { type: 'string' },
    since: { type: 'string' },
    port: { type: 'string' },
    'webhook-secret': { type: 'string' },
    json: { type: 'boolean' },
    register: { type: 'boolean' },
    url: { type: 'string' },
    replace: { type: 'boolean' },
  },
  async run(surroundings) {
    const { line, note, signal } = surroundings;
    const registers = ['register', 'replace'].some(line.on) || isGiven(line);
    const client = registers ? clientOf(line) : undefined;
    const secret =
      client && !line.on('replace')
        ? (line.text('webhook-secret') ?? `whsec_${randomBytes(32).toString('base64')}`)
        : line.needed('webhook-secret', 'WEBHOOK_SECRET');
    const forwardTo = addressOf(line.text('forward-to'));
    const sinceText = line.text('since');
    const needsNow = sinceText !== undefined || line.on('replace');
    const started = client && needsNow ? await nowFor(client, line) : new Date();
    const since = sinceText === undefined ? null : timeOf(sinceText, 'since', started);
    const server = createServer((request, response) => {
      const job = { secret, forwardTo, notBefore: since ?? (line.on('replace') ? started : null) };
      receive(surroundings, job, request, response).catch((error: Error) => {
        note(`refused  ${error.message}`);
        if (response.headersSent) return;
        response.writeHead(error instanceof WebhookVerificationError ? 401 : 400).end();
      });
    });
    await listening(server, portOf(line.text('port')));
    const local = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
    let putBack: (() => Promise<void>) | undefined;
    try {
      if (client) {
        const url = line.text('url') ?? local;
        putBack = line.on('replace')
          ? await replaceDefault(client, url, note)
          : await createOwn(client, { url, secret, since, line }, note);
      }
      if (forwardTo) note(`Forwarding to ${forwardTo}`);
      note(`Listening at ${local}; Ctrl-C ends it.`);
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      await putBack?.();
      server.closeAllConnections?.();
      server.close();
    }
  },
};

/** Returns whether a flag requires an endpoint. */
function isGiven(line: CommandLine): boolean {
  return ['forward-to', 'events', 'since'].some((flag) => line.text(flag) !== undefined);
}

/** Creates an endpoint for this command alone; returns the function that removes it. */
async function createOwn(
  client: Client,
  wanted: { url: string; secret: string; since: Date | null; line: CommandLine },
  note: (text: string) => void,
): Promise<() => Promise<void>> {
  const { url, secret, since, line } = wanted;
  const events = line.text('events');
  const event_types = events?.split(',').map((type) => type.trim()) ?? null;
  const name = `listen ${randomBytes(4).toString('hex')}`;
  const { id } = await client.webhookEndpoints.create({ url, secret, event_types, name });
  note(
    `Created the endpoint "${name}" (${id}) for ${events ?? 'all events'}; it ends with this command.`,
  );
  note(`Its signing secret is ${secret}`);
  const remove = async () => {
    await client.webhookEndpoints.delete({ id });
    note(`Removed the endpoint "${name}".`);
  };
  if (since === null) return remove;
  try {
    const to = (await nowFor(client, line)).toISOString();
    await client.webhookEndpoints.replay({ id, from: since.toISOString(), to });
    note(`Sending what happened since ${since.toISOString()} first.`);
    return remove;
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Points the endpoint `default` to this machine; returns the function that restores its URL. */
async function replaceDefault(
  client: Client,
  url: string,
  note: (text: string) => void,
): Promise<() => Promise<void>> {
  const before = await findDefault(client);
  if (!before) {
    throw new UsageError('There is no endpoint "default" to replace. Leave --replace out.');
  }
  const { id } = before;
  await client.webhookEndpoints.update({ id, url });
  note(`The endpoint "default" points to ${url} instead of ${before.url} until this command ends.`);
  return async () => {
    // If somebody else changed the endpoint meanwhile, their change stays.
    const now = await findDefault(client);
    if (now?.url !== url)
      return note('The endpoint "default" was changed meanwhile; it stays as it is.');
    await client.webhookEndpoints.update({ id, url: before.url });
    note(`The endpoint "default" points to ${before.url} again.`);
  };
}

async function findDefault(client: Client) {
  try {
    return await client.webhookEndpoints.retrieve({ id: 'default' });
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

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
  { line, say, note }: Surroundings,
  job: { secret: string; forwardTo: string | null; notBefore: Date | null },
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
  const body = Buffer.concat(chunks);
  const event = verifyWebhook({ body, headers: request.headers, secret: job.secret });
  if (job.notBefore !== null && new Date(event.created_at) < job.notBefore) {
    // The replaced endpoint gets the event once it is restored.
    response.writeHead(503, { 'Retry-After': '60' }).end();
    return note(`left  ${event.type}  ${event.id}  is older than the start; --since takes it`);
  }
  say(line.on('json') ? JSON.stringify(event) : inFull(event));
  if (!job.forwardTo) return void response.writeHead(200).end();
  const status = await forward(job.forwardTo, request, body);
  note(`${status === null ? 'no answer' : status}  ${event.type}  ${event.id}  ${job.forwardTo}`);
  response.writeHead(status ?? 502).end();
}

/** Forwards a request to `url` and returns the response status; null without a response. */
async function forward(
  url: string,
  request: IncomingMessage,
  body: Buffer,
): Promise<number | null> {
  const kept = Object.entries(request.headers).filter(([name]) => !OF_THE_CONNECTION.has(name));
  const headers = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
  try {
    const signal = AbortSignal.timeout(FORWARD_MS);
    const sent = { method: 'POST', headers, body: new Uint8Array(body), signal };
    const answer = await fetch(url, { ...sent, redirect: 'manual' });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return null;
  }
}

/** Formats an event with its data below; a thin event has no data. */
function inFull(event: WebhookEvent): string {
  const { data } = event as { data?: object };
  if (!data) return describeEvent(event);
  return `${describeEvent(event)}\n${JSON.stringify(data, null, 2).replace(/^/gm, '  ')}`;
}

function addressOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const url = /^https?:/.test(text) ? text : `http://${text}`;
  if (URL.canParse?.(url) === false)
    throw new UsageError('--forward-to is an address of http or https.');
  return url;
}

function portOf(text = '0'): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new UsageError('--port is a number up to 65535.');
}
