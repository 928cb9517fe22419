import { setMaxListeners } from 'node:events';

/** The work took longer than it may. */
export class DeadlineExceeded extends Error {
  constructor(deadlineMs: number) {
    super(`took longer than ${deadlineMs} ms`);
    this.name = 'DeadlineExceeded';
  }
}

/** For racing with what doesn't listen to the signal: rejects with its reason once it fires. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  // Nobody may be waiting when it happens.
  aborted.catch(() => {});
  return aborted;
}

/** Whether nothing will try again after this attempt. A worker that must go gives its job back, whichever attempt it is. */
export function isFinalAttempt({
  lastAttempt,
  signal,
}: {
  lastAttempt: boolean;
  signal: AbortSignal;
}): boolean {
  return lastAttempt && (!signal.aborted || signal.reason instanceof DeadlineExceeded);
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
