import { ApiError, ConnectionError } from './errors.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_BACK_OFF_MS = 8_000;

/** Statuses that say that nothing was done, so that any request may be sent again. */
const NOTHING_DONE = new Set([429, 503]);
/** Statuses that leave it open whether something was done. */
const UNCLEAR = new Set([500, 502, 504]);
/** Failures of a connection before anything was sent over it. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

export interface RetryQuestion {
  error: unknown;
  /** 1 for the first. */
  attempt: number;
  /** Whether sending it twice has the effect of sending it once. */
  repeatable: boolean;
  /** A service that asks for a longer wait than this is not waited for, in milliseconds. */
  maxWaitMs: number;
}

/** How long to wait before the next attempt, in milliseconds; undefined when there should be none. */
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

/** Twice as long each time, and spread, so that callers who failed together don't return together. */
function backOffMs(attempt: number): number {
  const most = Math.min(LONGEST_BACK_OFF_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
  return most * (0.5 + Math.random() / 2);
}

/** fetch hides what happened in the cause of its error. */
function codeOf({ cause }: ConnectionError): string {
  const inner = (cause as { cause?: { code?: unknown } } | undefined)?.cause?.code;
  return typeof inner === 'string' ? inner : '';
}
