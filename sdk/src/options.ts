import { ignoredParametersWarning, unsentFieldsWarning } from './ignored-parameters.ts';
import { requireKeyPair } from './sign.ts';

/** A report of one attempt, for logs and metrics. */
export interface AttemptReport {
  method: string;
  /** The path with its parameters filled in, without the query. */
  path: string;
  /** The number of the attempt, from 1. */
  attempt: number;
  /** Undefined if there was no response. */
  status: number | undefined;
  requestId: string | undefined;
  /** Whether the response is the stored one of an earlier request with the same key. */
  replayed: boolean;
  /** Undefined after the last attempt. */
  retryInMs: number | undefined;
}

export interface ClientOptions {
  /** The URL of the service, such as `https://market.example`. May end in `/api/partner`, with or without `/v1`. */
  baseUrl: string;
  /** `pk_sandbox_...` or `pk_live_...` */
  keyId: string;
  /** The secret of the key. */
  secret: string;
  /** The timeout per attempt, in milliseconds. Defaults to 30,000. */
  timeoutMs?: number;
  /** The maximum number of retries. Defaults to 3. */
  maxRetries?: number;
  /** The longest `Retry-After` to wait for, in milliseconds; fails at once beyond it. Defaults to 60,000. */
  maxWaitMs?: number;
  onAttempt?: (report: AttemptReport) => void;
  /** Called once if the service or this package ignored parameters. Defaults to a process warning. */
  onWarning?: (message: string) => void;
  /** Returns the time used to sign requests, in Unix milliseconds. Defaults to the machine's clock. */
  now?: () => number;
  /** Replaces the global `fetch`, for example to use a proxy or your own connection pool. */
  fetch?: typeof fetch;
}

export interface Settings extends Required<Omit<ClientOptions, 'baseUrl' | 'onWarning'>> {
  /** `https://market.example` */
  origin: string;
  /** The prefix of endpoint paths, including `/api/partner`. */
  prefix: string;
  /** Checks the headers of each response. `call` identifies it: `GET /v1/orders`. */
  warnOfIgnored: (call: string, headers: Headers) => void;
  /** Checks the fields that a call could not send. */
  warnOfUnsent: (call: string, unsent: readonly string[]) => void;
}

/** Validates the options and applies the defaults. @throws TypeError for invalid options */
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

/** Validates a timeout. @throws TypeError for one that timers do not support: `0` does not mean no timeout */
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

/** Returns the prefix of every request path. A base URL that ends with the partner API's path also works. */
export function prefixOf(base: URL): string {
  const path = base.pathname.replace(/\/+$/, '').replace(/\/api\/partner(\/v1)?$/, '');
  return `${path}/api/partner`;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host);
}
