import { ApiError, ConnectionError } from './errors.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_BACK_OFF_MS = 8_000;

/** Statuses that mean that nothing was done, so that any request can be repeated. */
const NOTHING_DONE = new Set([429, 503]);
/** Statuses after which it is unclear whether anything was done. */
const UNCLEAR = new Set([500, 502, 504]);
/** Connection errors that occur before anything is sent. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

export interface RetryQuestion {
  error: unknown;
  /** The number of the failed attempt, from 1. */
  attempt: number;
  /** Whether repeating the request has no further effect. */
  repeatable: boolean;
  /** The longest requested wait to accept, in milliseconds. */
  maxWaitMs: number;
}

/** Returns how long to wait before the next attempt, in milliseconds; undefined for no further attempt. */
export function retryWaitMs({
  error,
  attempt,
  repeatable,
  maxWaitMs,
}: RetryQuestion): number | undefined {
  if (!mayRepeat(error, repeatable)) return undefined;
  const asked = error instanceof ApiError ? error.retryAfterMs : undefined;
  if (asked === undefined) return backOffMs(attempt);
  return asked > maxWaitMs ? undefined : Math.max(asked, backOffMs(attempt));
}

function mayRepeat(error: unknown, repeatable: boolean): boolean {
  if (error instanceof ApiError) {
    return NOTHING_DONE.has(error.status) || (repeatable && UNCLEAR.has(error.status));
  }
  if (!(error instanceof ConnectionError)) return false;
  return repeatable || NEVER_SENT.has(codeOf(error));
}

/** Returns an exponential back-off with jitter, so that callers that failed together do not retry together. */
function backOffMs(attempt: number): number {
  const most = Math.min(LONGEST_BACK_OFF_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
  return most * (0.5 + Math.random() / 2);
}

/** Returns the error code, which `fetch` puts into the cause of its error. */
function codeOf({ cause }: ConnectionError): string {
  const inner = (cause as { cause?: { code?: unknown } } | undefined)?.cause?.code;
  return typeof inner === 'string' ? inner : '';
}
