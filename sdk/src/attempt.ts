import { ConnectionError, ServiceError, TimeoutError } from './errors.ts';

export interface Limits {
  /** In milliseconds. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
  /** Method and URL, for messages. */
  call: string;
}

/**
 * Runs one attempt, which a time-out or the caller's own signal ends. What it throws is a ServiceError (a
 * ConnectionError for whatever `fetch` threw) or the reason of the signal.
 */
export async function attempt<T>(
  { timeoutMs, signal, call }: Limits,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const late = new TimeoutError(`${call}: no complete answer within ${timeoutMs} ms.`);
  const timer = setTimeout(() => controller.abort(late), timeoutMs);
  const passOn = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', passOn, { once: true });
  try {
    return await run(controller.signal);
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason;
    if (error instanceof ServiceError) throw error;
    const message = `${call}: the service could not be reached, or did not finish its answer${reasonOf(error)}.`;
    throw new ConnectionError(message, { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', passOn);
  }
}

/** `fetch` says only that it failed; what it failed of is in its cause, such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  const known = cause?.code ?? code;
  return typeof known === 'string' ? ` (${known})` : '';
}

/** @throws the reason of the signal when it is aborted meanwhile */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
