import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';

/** The stand-in's response to an RDAP query; a number alone is a status without a body. */
export type RdapReply =
  | number
  | { status?: number; type?: string; headers?: Record<string, string>; body: unknown }
  | ((request: IncomingMessage, response: ServerResponse) => void);

/** The stand-in's response to a WHOIS query. */
export type WhoisReply = string | Buffer | ((socket: Socket) => void);

/** Registries on loopback: RDAP with a bootstrap file, and WHOIS including IANA's server. */
export interface RegistryStandIn {
  /** The base URL of the RDAP server, with a trailing slash. */
  rdapUrl: string;
  bootstrapUrl: string;
  whoisPort: number;
  /** The paths requested over HTTP and the lines sent over WHOIS, in order. */
  asked: string[];
  /** The maximum number of concurrent RDAP queries. */
  readonly mostAtOnce: number;
  /** Responses to `domain/<name>`, by name; 404 for the others. */
  rdap: Map<string, RdapReply>;
  /** Responses to WHOIS lines; silence for the others. */
  whois: Map<string, WhoisReply>;
  /** The TLDs of the bootstrap file, all served by the one RDAP server. */
  tlds: string[];
  /** Releases all pending and future responses of {@link held}. */
  release(): void;
  /** Returns a reply that waits for `release()`. */
  held(reply: Exclude<RdapReply, (...args: never[]) => void>): RdapReply;
  close(): Promise<void>;
}

const ETAG = '"edition-1"';

export async function startRegistryStandIn(): Promise<RegistryStandIn> {
  const asked: string[] = [];
  const rdap = new Map<string, RdapReply>();
  const whois = new Map<string, WhoisReply>();
  const tlds: string[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  let release = () => {};
  let released = new Promise<void>((resolve) => {
    release = resolve;
  });

  const web = createHttpServer((request, response) => {
    const path = request.url ?? '';
    const name = path.replace(/^\/domain\//, '').replace(/\?.*$/, '');
    asked.push(path);
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    response.on('close', () => {
      atOnce -= 1;
    });
    if (path === '/dns.json') {
      const known = request.headers['if-none-match'] === ETAG;
      const body = { version: '1.0', services: [[tlds, [`${url}/`]]] };
      if (known) response.writeHead(304).end();
      else send(response, { headers: { etag: ETAG }, body });
      return;
    }
    const reply = rdap.get(name) ?? { status: 404, body: { errorCode: 404 } };
    if (typeof reply === 'function') reply(request, response);
    else send(response, reply);
  });
  const line = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (data) => {
      const question = data.toString('latin1').trim();
      asked.push(`whois ${question}`);
      const reply = whois.get(question);
      if (typeof reply === 'function') reply(socket);
      else socket.end(reply ?? '');
    });
  });
  web.listen(0, '127.0.0.1');
  line.listen(0, '127.0.0.1');
  await Promise.all([once(web, 'listening'), once(line, 'listening')]);
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  return {
    rdapUrl: `${url}/`,
    bootstrapUrl: `${url}/dns.json`,
    whoisPort: (line.address() as AddressInfo).port,
    asked,
    get mostAtOnce() {
      return mostAtOnce;
    },
    rdap,
    whois,
    tlds,
    release() {
      release();
    },
    held(reply) {
      return (_request, response) => void released.then(() => send(response, reply));
    },
    async close() {
      released = Promise.resolve();
      release();
      web.closeAllConnections();
      web.close();
      line.close();
      await Promise.all([once(web, 'close'), once(line, 'close')]);
    },
  };
}

function send(
  response: ServerResponse,
  reply: Exclude<RdapReply, (...args: never[]) => void>,
): void {
  if (typeof reply === 'number') {
    response.writeHead(reply).end();
    return;
  }
  const { status = 200, type = 'application/rdap+json', headers = {}, body } = reply;
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Returns a minimal registry record of a name; `more` adds and replaces members. */
export function rdapRecord(name: string, more: Record<string, unknown> = {}) {
  return {
    objectClassName: 'domain',
    ldhName: name,
    status: ['active'],
    events: [{ eventAction: 'registration', eventDate: '2001-02-03T04:05:06Z' }],
    ...more,
  };
}
