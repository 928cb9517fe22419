import { setTimeout as sleep } from 'node:timers/promises';

/** Less than a test's timeout, so that a failed wait reports what it saw; long enough for slow machines. */
const PATIENCE_MS = 150_000;

/**
 * Polls until `read` returns a value that `accept` accepts, and returns it. For states that another process reaches in
 * its own time; fails with the last value seen, even if a read never ends.
 */
export async function eventually<T>(
  read: () => Promise<T> | T,
  accept: (value: T) => boolean = Boolean,
  options: { withinMs?: number; everyMs?: number } = {},
): Promise<T> {
  const { withinMs = PATIENCE_MS, everyMs = 20 } = options;
  let last: T | undefined;
  let patience: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    patience = setTimeout(() => {
      const seen = JSON.stringify(last)?.slice(0, 2_000);
      reject(new Error(`not reached in time; last seen: ${seen}`));
    }, withinMs);
  });
  const reached = async (): Promise<T> => {
    for (;;) {
      last = await read();
      if (accept(last)) return last;
      await Promise.race([sleep(everyMs), late]);
    }
  };
  try {
    return await Promise.race([reached(), late]);
  } finally {
    clearTimeout(patience);
  }
}
