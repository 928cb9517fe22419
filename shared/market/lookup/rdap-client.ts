import { type Clock, SECOND } from '../../platform/clock.ts';
import type { HttpClient } from '../../platform/outbound/http-client.ts';
import { retryAfterMs } from '../../platform/outbound/retry-after.ts';
import { type HostLimiter, isHostBlocked, MAX_COOLDOWN_MS } from './host-limiter.ts';
import { fieldsOf } from './rdap-response.ts';

/** The outcome of an RDAP query. `busy`: the server, or our own limit, requires a later retry. */
type RdapOutcome =
  | { kind: 'answer'; value: unknown; text: string }
  | { kind: 'no_such_name' }
  /** Not a valid RDAP answer: no JSON, or a 404 that the registry did not send. */
  | { kind: 'unreadable'; text: string }
  | { kind: 'busy'; retryAfterMs: number }
  | { kind: 'failed' };

export interface RdapClientOptions {
  http: HttpClient;
  limiter: HostLimiter;
  clock: Clock;
  userAgent: string;
  /** False in development, where servers may lack TLS. */
  requireHttps: boolean;
}

export type RdapClient = (
  url: string,
  deadlineMs: number,
  signal: AbortSignal,
) => Promise<RdapOutcome>;

const MAX_REDIRECTS = 4;
const MAX_BYTES = 262_144;
const DEFAULT_COOLDOWN_MS = 30 * SECOND;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Statuses that concern the query, not the health of the server. */
const QUERY_ERROR_STATUSES = new Set([400, 401, 403, 422, 501]);

/** Creates a client for RDAP servers (RFC 7480): limited in time, size and redirects. Never throws. */
export function createRdapClient(options: RdapClientOptions): RdapClient {
  const { http, limiter, clock, userAgent, requireHttps } = options;
  return async (start, deadlineMs, signal) => {
    const deadline = performance.now() + deadlineMs;
    const seen = new Set<string>();
    let url = start;
    while (seen.size <= MAX_REDIRECTS && !seen.has(url) && URL.canParse(url)) {
      seen.add(url);
      const { host } = new URL(url);
      const result = await limiter.run(host, signal, () =>
        http.request({
          method: 'GET',
          url,
          headers: {
            accept: 'application/rdap+json, application/json;q=0.8',
            'accept-encoding': 'identity',
            'user-agent': userAgent,
          },
          deadlineMs: Math.max(1, Math.round(deadline - performance.now())),
          maxResponseBytes: MAX_BYTES,
          requireHttps,
          signal,
        }),
      );
      if (isHostBlocked(result)) {
        const { blocked, forMs } = result;
        return blocked === 'failing' ? { kind: 'failed' } : { kind: 'busy', retryAfterMs: forMs };
      }
      if (result.kind === 'failure') {
        if (result.reason !== 'aborted') limiter.record(host, false);
        return { kind: 'failed' };
      }
      const { status, headers, body, truncated } = result;
      limiter.record(host, !truncated && (status < 500 || QUERY_ERROR_STATUSES.has(status)));
      if (REDIRECTS.has(status)) {
        const { location = '' } = headers;
        if (!URL.canParse(location, url)) return { kind: 'failed' };
        url = new URL(location, url).href;
        continue;
      }
      if (status === 429) {
        const cooldownMs = cooldownOf(headers['retry-after'], clock.now());
        await limiter.coolDown(host, cooldownMs);
        return { kind: 'busy', retryAfterMs: cooldownMs };
      }
      if (truncated || (status !== 200 && status !== 404)) return { kind: 'failed' };
      const answer = parsed(body);
      if (status === 200) return answer;
      const isBare = seen.size === 1 && answer.text === '' && isRdap(headers['content-type']);
      const isWord = isBare || (answer.kind === 'answer' && isNotFound(answer.value));
      return isWord ? { kind: 'no_such_name' } : { kind: 'unreadable', text: answer.text };
    }
    return { kind: 'failed' };
  };
}

/**
 * Returns whether an answer is an RDAP 404 error (RFC 9083, 6). Any other 404, a web page or a line of text, may come
 * from a proxy that can't reach its registry, and says nothing about the name.
 */
function isNotFound(value: unknown): boolean {
  const { errorCode, objectClassName } = fieldsOf(value);
  return objectClassName === undefined && (errorCode === 404 || errorCode === '404');
}

/** The body may be missing (RFC 7480, 5.3); the media type then tells RDAP from a proxy. */
function isRdap(type: string | undefined): boolean {
  return /^application\/rdap\+json\b/i.test(type ?? '');
}

/** TextDecoder drops a byte order mark. */
function parsed(body: Buffer): Extract<RdapOutcome, { text: string }> {
  const text = new TextDecoder().decode(body);
  try {
    return { kind: 'answer', value: JSON.parse(text), text };
  } catch {
    return { kind: 'unreadable', text };
  }
}

/** Returns how long to leave alone a server that refused us, in milliseconds: its `Retry-After`, within limits. */
function cooldownOf(header: string | undefined, now: Date): number {
  // Ignore absurdly large values.
  const isAbsurd = /^\s*\d{8}/.test(header ?? '');
  const asked = isAbsurd ? null : retryAfterMs(header, now);
  return asked === null ? DEFAULT_COOLDOWN_MS : Math.min(Math.max(SECOND, asked), MAX_COOLDOWN_MS);
}
