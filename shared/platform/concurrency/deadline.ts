import { setMaxListeners } from 'node:events';

/** Thrown when work exceeds its deadline. */
export class DeadlineExceeded extends Error {
  constructor(deadlineMs: number) {
    super(`took longer than ${deadlineMs} ms`);
    this.name = 'DeadlineExceeded';
  }
}

/** The conditions that abort the work. */
export interface AbortRules {
  /** The maximum duration of the work, in milliseconds. */
  deadlineMs?: number | undefined;
  /** Creates the abort reason for a missed deadline. Defaults to `DeadlineExceeded`. */
  late?(): Error;
  /** Signals that abort the work, each with its abort reason. Defaults to the signal's own reason. */
  signals?: readonly (readonly [signal: AbortSignal | undefined, reason?: () => Error])[];
}

/**
 * Runs `work` with a signal that fires at the deadline or when one of the signals fires; they may already have fired.
 * Removes its timer and listeners when the work ends.
 *
 * AbortSignal.timeout and AbortSignal.any are not enough: the timer of the first does not keep the process alive while
 * a caller waits, and the second leaks in some releases of Node 20 and 22 if a signal lives as long as the process.
 */
export async function withAbort<T>(
  { deadlineMs, late, signals = [] }: AbortRules,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const timer =
    deadlineMs === undefined
      ? undefined
      : setTimeout(
          () => controller.abort(late?.() ?? new DeadlineExceeded(deadlineMs)),
          deadlineMs,
        );
  const listeners = signals.flatMap(([signal, reason]) => {
    if (!signal) return [];
    const onAbort = () => controller.abort(reason?.() ?? signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
    return [{ signal, onAbort }];
  });
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    for (const { signal, onAbort } of listeners) signal.removeEventListener('abort', onAbort);
  }
}

/** Creates an abort controller whose signal may have any number of listeners. */
export function createSharedAbort(): AbortController {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  return closing;
}

/**
 * Settles like `work`, or rejects with the signal's reason once the signal fires. For work that does not listen to the
 * signal; its later result is ignored.
 */
export function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => {});
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Settles like `work`. @throws DeadlineExceeded if it takes longer than `ms` */
export function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  return withAbort({ deadlineMs: ms }, (signal) => orAbort(work, signal));
}

/** Returns the result of `work`, or undefined if it takes longer than `ms`. @throws what `work` throws in time */
export async function unlessLate<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  try {
    return await inTime(work, ms);
  } catch (error) {
    if (error instanceof DeadlineExceeded) return undefined;
    throw error;
  }
}

/** The time aborted work has to end on its own. */
const GRACE_MS = 500;

/**
 * Runs `work` with a signal that fires at its deadline or when the process shuts down. Work that ignores the signal is
 * abandoned after a short grace period, so that nothing can block a worker forever.
 * @throws DeadlineExceeded, the reason of `shutdown`, or what `work` throws
 */
export function withDeadline<T>(
  { deadlineMs, shutdown }: { deadlineMs?: number; shutdown: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withAbort({ deadlineMs, signals: [[shutdown]] }, async (signal) => {
    // Every outbound request of the work adds a listener, so a large number is not a leak.
    setMaxListeners(0, signal);
    let grace: NodeJS.Timeout | undefined;
    const abandoned = new Promise<never>((_, reject) => {
      const startGrace = () => {
        grace = setTimeout(() => reject(signal.reason), GRACE_MS);
      };
      if (signal.aborted) startGrace();
      else signal.addEventListener('abort', startGrace, { once: true });
    });
    try {
      return await Promise.race([work(signal), abandoned]);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      clearTimeout(grace);
    }
  });
}
