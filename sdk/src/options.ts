import { ignoredParametersWarning, unsentFieldsWarning } from './ignored-parameters.ts';
import { requireKeyPair } from './sign.ts';

/** Told of every attempt, for logs and counts. */
export interface AttemptReport {
  method: string;
  /** With its parameters filled in, without the query. */
  path: string;
  /** 1 for the first. */
  attempt: number;
  /** Undefined when no answer came. */
  status: number | undefined;
  requestId: string | undefined;
  /** The answer is the stored one of an earlier request with the same key. */
  replayed: boolean;
  /** Undefined after the last. */
  retryInMs: number | undefined;
}

export interface ClientOptions {
  /** Where the service is, such as `https://market.example`. May end in `/api/partner`, with or without `/v1`. */
  baseUrl: string;
  /** `pk_sandbox_...` or `pk_live_...` */
  keyId: string;
  /** The secret of that key. */
  secret: string;
  /** For each attempt, in milliseconds; 30,000 unless said. */
  timeoutMs?: number;
  /** How many times a failed attempt may be repeated; 3 unless said. */
  maxRetries?: number;
  /** A `Retry-After` over this is not waited for, in milliseconds; 60,000 unless said. */
  maxWaitMs?: number;
  onAttempt?: (report: AttemptReport) => void;
  /** Told, once, when the service ignored parameters, or this package did not know them; a warning of the process unless said. */
  onWarning?: (message: string) => void;
  /** The time that requests are signed with, in milliseconds of Unix time; the machine's unless said. */
  now?: () => number;
  /** Sends the requests instead of the global `fetch`: through a proxy, or with a pool of your own. */
  fetch?: typeof fetch;
}

export interface Settings extends Required<Omit<ClientOptions, 'baseUrl' | 'onWarning'>> {
  /** `https://market.example` */
  origin: string;
  /** What comes before the paths of the endpoints, `/api/partner` included. */
  prefix: string;
  /** Looks at the headers of each answer. `call` names it: `GET /v1/orders`. */
  warnOfIgnored: (call: string, headers: Headers) => void;
  /** Looks at the fields that a call had no place for. */
  warnOfUnsent: (call: string, unsent: readonly string[]) => void;
}

/** @throws TypeError for what cannot work */
export function settingsOf(options: ClientOptions): Settings {
  for (const name of ['baseUrl', 'keyId', 'secret'] as const) {
    if (typeof options[name] !== 'string' || options[name] === '') {
      throw new TypeError(`createClient needs ${name}`);
    }
  }
  requireKeyPair(options);
  const base = urlOf(options.baseUrl);
  if (/^pk_live_/.test(options.keyId) && base.protocol !== 'https:' && !isLoopback(base.hostname)) {
    throw new TypeError('A live key is used over https only; correct baseUrl.');
  }
  const warn = options.onWarning ?? ((message: string) => process.emitWarning(message));
  return {
    origin: base.origin,
    prefix: prefixOf(base),
    keyId: options.keyId,
    secret: options.secret,
    timeoutMs: requireTimeout(options.timeoutMs ?? 30_000),
    maxRetries: options.maxRetries ?? 3,
    maxWaitMs: options.maxWaitMs ?? 60_000,
    onAttempt: options.onAttempt ?? (() => {}),
    warnOfIgnored: ignoredParametersWarning(warn),
    warnOfUnsent: unsentFieldsWarning(warn),
    now: options.now ?? Date.now,
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
  };
}

/** @throws TypeError unless a timer can wait so long: `0` does not mean for ever */
export function requireTimeout(timeoutMs: number): number {
  if (timeoutMs > 0 && timeoutMs < 2 ** 31) return timeoutMs;
  throw new TypeError(`timeoutMs must be more than 0 and at most ${2 ** 31 - 1}, not ${timeoutMs}`);
}

function urlOf(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new TypeError('baseUrl must be a URL, such as https://market.example');
  }
  if (!/^https?:$/.test(url.protocol)) throw new TypeError('baseUrl must begin with http(s)://');
  return url;
}

/** The prefix of every request path. A base URL that names the partner API itself means the same service. */
export function prefixOf(base: URL): string {
  const path = base.pathname.replace(/\/+$/, '').replace(/\/api\/partner(\/v1)?$/, '');
  return `${path}/api/partner`;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host);
}
