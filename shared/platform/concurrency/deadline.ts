import { setMaxListeners } from 'node:events';

/** The work took longer than it may. */
export class DeadlineExceeded extends Error {
  constructor(deadlineMs: number) {
    super(`took longer than ${deadlineMs} ms`);
    this.name = 'DeadlineExceeded';
  }
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
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const late = new AbortController();
  // The timer of AbortSignal.timeout would not keep the process alive while somebody waits.
  const timer = setTimeout(() => late.abort(new DeadlineExceeded(ms)), ms);
  try {
    return await orAbort(work, late.signal);
  } finally {
    clearTimeout(timer);
  }
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

/** How long work that was told to stop may take to come to an end by itself. */
const GRACE_MS = 500;

/**
 * Runs `work` with a signal that fires when its time is up or the process must go. Work that does not
 * listen is left behind after a short grace, so that nothing can hold a worker for ever.
 * @throws DeadlineExceeded, the reason of `shutdown`, or what `work` throws
 */
export async function withDeadline<T>(
  limits: { deadlineMs?: number; shutdown: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  // Each outbound request of the work listens; many at once are no leak.
  setMaxListeners(0, controller.signal);
  let grace: NodeJS.Timeout | undefined;
  const abandoned = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => {
      grace = setTimeout(() => reject(controller.signal.reason), GRACE_MS);
    });
  });
  const { deadlineMs } = limits;
  const timer =
    deadlineMs === undefined
      ? undefined
      : setTimeout(() => controller.abort(new DeadlineExceeded(deadlineMs)), deadlineMs);
  const onShutdown = () => controller.abort(limits.shutdown.reason);
  limits.shutdown.addEventListener('abort', onShutdown);
  if (limits.shutdown.aborted) onShutdown();
  try {
    return await Promise.race([work(controller.signal), abandoned]);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    limits.shutdown.removeEventListener('abort', onShutdown);
  }
}
