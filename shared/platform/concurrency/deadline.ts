import { setMaxListeners } from 'node:events';

/** The work took longer than it may. */
export class DeadlineExceeded extends Error {
  constructor(deadlineMs: number) {
    super(`took longer than ${deadlineMs} ms`);
    this.name = 'DeadlineExceeded';
  }
}

/** When work is aborted. */
export interface AbortRules {
  /** Milliseconds that the work may take. */
  deadlineMs?: number | undefined;
  /** What the work is told then; `DeadlineExceeded` unless something else is given. */
  late?(): Error;
  /** Signals that end the work, with what it is told then; the reason of the signal unless something else is given. */
  signals?: readonly (readonly [signal: AbortSignal | undefined, reason?: () => Error])[];
}

/**
 * Runs `work` with a signal that fires when its time is up or one of the signals does; all of them may have fired
 * already. Timer and listeners are gone when the work has ended.
 *
 * AbortSignal.timeout and AbortSignal.any do less: the timer of the one does not keep the process alive while somebody
 * waits, and the other, of a signal that lives as long as the process, leaks in releases of Node 20 and 22.
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

/** An abort controller to whose signal any number may listen: for what ends with its owner. */
export function createSharedAbort(): AbortController {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  return closing;
}

/**
 * Settles as `work` does, or rejects with the signal's reason once it fires: for work that does not listen to the
 * signal, and then ends unheard.
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

/** Settles as `work` does, within `ms`. @throws DeadlineExceeded when it takes longer */
export function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  return withAbort({ deadlineMs: ms }, (signal) => orAbort(work, signal));
}

/** What `work` gives, or undefined when it takes longer than `ms`. @throws what `work` throws in time */
export async function unlessLate<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  try {
    return await inTime(work, ms);
  } catch (error) {
    if (error instanceof DeadlineExceeded) return undefined;
    throw error;
  }
}

/** How long aborted work may take to end by itself. */
const GRACE_MS = 500;

/**
 * Runs `work` with a signal that fires when its time is up or the process must go. Work that does not
 * listen is left behind after a short grace, so that nothing can hold a worker for ever.
 * @throws DeadlineExceeded, the reason of `shutdown`, or what `work` throws
 */
export function withDeadline<T>(
  { deadlineMs, shutdown }: { deadlineMs?: number; shutdown: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withAbort({ deadlineMs, signals: [[shutdown]] }, async (signal) => {
    // Every outbound request of the work adds a listener, so many of them are not a leak.
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
