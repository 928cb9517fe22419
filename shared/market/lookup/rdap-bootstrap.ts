import { type Clock, DAY, MINUTE } from '../../platform/clock.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { HttpClient } from '../../platform/outbound/http-client.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import { fieldsOf, listOf } from './rdap-response.ts';

/** IANA's list of RDAP servers by TLD (RFC 9224), refetched when stale and shared through Redis. */
export interface RdapBootstrap {
  /**
   * Returns the server of each TLD. `fetched` is false while IANA's file was never loaded. Waits for the file only
   * while there is none, until `signal` is aborted.
   */
  services(signal: AbortSignal): Promise<{ rdap: ReadonlyMap<string, string>; fetched: boolean }>;
}

export interface BootstrapOptions {
  http: HttpClient;
  redis: Redis;
  clock: Clock;
  log: Logger;
  /** Key in Redis. */
  key: string;
  url: string;
  /** Milliseconds for which the file is fresh. */
  freshMs: number;
  requireHttps: boolean;
  userAgent: string;
}

interface BootstrapFile {
  /** When it was fetched or confirmed, milliseconds since 1970. */
  at: number;
  etag: string | null;
  services: readonly (readonly [tld: string, url: string])[];
}

const FETCH_MS = 5_000;
const MAX_BYTES = 2_000_000;
const RETRY_MS = 1 * MINUTE;
const KEEP_MS = 30 * DAY;

export function createRdapBootstrap(options: BootstrapOptions): RdapBootstrap {
  const { redis, clock, log, key, freshMs } = options;
  let edition: BootstrapFile | undefined;
  let rdap: ReadonlyMap<string, string> = new Map();
  let refresh: Promise<void> | undefined;
  let notBefore = 0;

  const adopt = (found: BootstrapFile) => {
    edition = found;
    rdap = new Map(found.services);
  };
  const isFresh = (found: BootstrapFile | undefined) =>
    found !== undefined && clock.now().getTime() - found.at < freshMs;
  const renew = async () => {
    const shared = readEdition(await redis.get(key).catch(() => null));
    if (shared && (!edition || shared.at > edition.at)) adopt(shared);
    if (isFresh(edition)) return;
    const fetched = await fetchEdition(options, edition);
    if (!fetched) {
      notBefore = performance.now() + RETRY_MS;
      return;
    }
    adopt(fetched);
    await redis.set(key, JSON.stringify(fetched), 'PX', KEEP_MS).catch(() => {});
  };

  return {
    async services(signal) {
      if (!isFresh(edition) && performance.now() >= notBefore) {
        refresh ??= renew()
          .catch((error: unknown) => log.warn({ err: error }, 'the list of RDAP servers'))
          .finally(() => {
            refresh = undefined;
          });
        // A stale edition is good enough while the new one loads.
        if (!edition) await untilAborted(refresh, signal);
      }
      return { rdap, fetched: edition !== undefined };
    },
  };
}

/** Fetches the current file; undefined on failure. */
async function fetchEdition(
  { http, clock, log, url, requireHttps, userAgent }: BootstrapOptions,
  known: BootstrapFile | undefined,
): Promise<BootstrapFile | undefined> {
  const result = await http.request({
    method: 'GET',
    url,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': userAgent,
      ...(known?.etag ? { 'if-none-match': known.etag } : {}),
    },
    deadlineMs: FETCH_MS,
    maxResponseBytes: MAX_BYTES,
    requireHttps,
  });
  const at = clock.now().getTime();
  if (result.kind === 'response') {
    if (result.status === 304 && known) return { ...known, at };
    const services = result.status === 200 && !result.truncated && readServices(result.body);
    if (services) return { at, etag: result.headers.etag ?? null, services };
  }
  const reason = result.kind === 'failure' ? result.reason : `status ${result.status}`;
  log.warn({ reason }, "IANA's list of RDAP servers could not be fetched");
  return undefined;
}

/** Reads one server per TLD, preferably HTTPS (RFC 9224, 3); undefined if the file is not valid. */
function readServices(body: Buffer): BootstrapFile['services'] | undefined {
  let file: unknown;
  try {
    file = JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
  const found = listOf(fieldsOf(file).services).flatMap((service) => {
    const [tlds, urls] = listOf(service);
    const servers = listOf(urls).filter((url) => typeof url === 'string' && URL.canParse(url));
    const best = servers.find((url) => String(url).startsWith('https:')) ?? servers[0];
    return listOf(tlds)
      .filter((tld) => typeof tld === 'string')
      .map((tld): [string, string] => [tld.toLowerCase(), String(best)])
      .filter(() => best !== undefined);
  });
  return found.length > 0 ? found : undefined;
}

function readEdition(text: string | null): BootstrapFile | undefined {
  if (text === null) return undefined;
  // Our own format, but possibly from a release that used a different one.
  const { at, etag, services } = fieldsOf(JSON.parse(text));
  if (typeof at !== 'number' || !Array.isArray(services)) return undefined;
  return { at, etag: typeof etag === 'string' ? etag : null, services };
}

function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = () => resolve();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
