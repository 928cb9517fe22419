import { ConnectionError, ServiceError, TimeoutError } from './errors.ts';

export interface Limits {
  /** In milliseconds. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
  /** The method and URL, for error messages. */
  call: string;
}

/**
 * Runs one attempt, which ends on a timeout or the caller's own signal. Throws a ServiceError (a
 * ConnectionError for any error of `fetch`) or the abort reason of the signal.
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

/** Returns the cause of a failed `fetch`, such as ECONNREFUSED; its error message does not contain it. */
function reasonOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  const known = cause?.code ?? code;
  return typeof known === 'string' ? ` (${known})` : '';
}

/** Waits. @throws the abort reason of the signal */
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
