import { randomUUID } from 'node:crypto';
import { attempt, pause } from './attempt.ts';
import type { KeyedCallOptions } from './method.ts';
import { type Operation, type PlainRequest, requestOf } from './operation.ts';
import { requireTimeout, type Settings } from './options.ts';
import { readRefusal } from './read-answer.ts';
import { retryWaitMs } from './retry.ts';
import { canonicalQuery, signatureHeaders } from './sign.ts';
import { VERSION } from './version.ts';

const REPEATABLE_METHODS = new Set(['GET', 'PUT', 'DELETE']);

export interface Sending<T> {
  operation: Operation;
  input: Readonly<Record<string, unknown>>;
  options: KeyedCallOptions;
  accept: string;
  /** Reads a response below 300. */
  read: (response: Response) => Promise<T>;
}

/**
 * Sends a request until it succeeds, fails permanently, or runs out of retries. Every attempt has a new signature
 * but the same `Idempotency-Key`.
 */
export async function send<T>(settings: Settings, sending: Sending<T>): Promise<T> {
  const { operation, options } = sending;
  const request = requestOf(operation, sending.input);
  settings.warnOfUnsent(`${request.method} ${request.path}`, request.unsent);
  const key = operation.keyed ? (options.idempotencyKey ?? randomUUID()) : undefined;
  const limits = {
    timeoutMs: requireTimeout(options.timeoutMs ?? settings.timeoutMs),
    signal: options.signal,
    call: `${request.method} ${settings.origin}${settings.prefix}${request.path}`,
  };
  const maxRetries = options.maxRetries ?? settings.maxRetries;
  for (let count = 1; ; count += 1) {
    let response: Response | undefined;
    const report = (retryInMs: number | undefined) =>
      settings.onAttempt({
        method: request.method,
        path: request.path,
        attempt: count,
        status: response?.status,
        requestId: response?.headers.get('x-request-id') ?? undefined,
        replayed: response?.headers.get('idempotent-replayed') === 'true',
        retryInMs,
      });
    const { url, init } = signedRequest(settings, request, { accept: sending.accept, key });
    const outcome = await attempt(limits, async (signal) => {
      response = await settings.fetch(url, { ...init, signal });
      settings.warnOfIgnored(`${request.method} ${request.path}`, response.headers);
      if (response.status < 300) return sending.read(response);
      throw readRefusal(response, await response.text());
    }).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    );
    if ('answer' in outcome) {
      report(undefined);
      return outcome.answer;
    }
    const { error } = outcome;
    const repeatable = key !== undefined || REPEATABLE_METHODS.has(request.method);
    const asked = { error, attempt: count, repeatable, maxWaitMs: settings.maxWaitMs };
    const waitMs = count > maxRetries ? undefined : retryWaitMs(asked);
    report(waitMs);
    if (waitMs === undefined) throw error;
    await pause(waitMs, options.signal);
  }
}

function signedRequest(
  settings: Settings,
  { method, path, query, body }: PlainRequest,
  { accept, key }: { accept: string; key: string | undefined },
): { url: string; init: RequestInit } {
  const whole = settings.prefix + path;
  const search = canonicalQuery(query);
  const signed = { method, path: whole, query, body, nowMs: settings.now() };
  const init: RequestInit = {
    method,
    headers: {
      Accept: accept,
      'User-Agent': `domain-marketplace-sdk/${VERSION}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(key !== undefined && { 'Idempotency-Key': key }),
      ...signatureHeaders(settings, signed),
    },
    ...(body !== undefined && { body }),
    // A signature is valid for one URL only.
    redirect: 'manual',
  };
  return { url: `${settings.origin}${whole}${search && `?${search}`}`, init };
}
