import { setTimeout as sleep } from 'node:timers/promises';

/** Less than a test may take, so that a wait which fails says what it saw; how fast the machine is, is no matter of tests. */
const PATIENCE_MS = 150_000;

/**
 * Asks again until `read` gives a value for which `accept` holds, and returns it. For states that another
 * process reaches in its own time; fails with the last value seen.
 */
export async function eventually<T>(
  read: () => Promise<T> | T,
  accept: (value: T) => boolean = Boolean,
  options: { withinMs?: number; everyMs?: number } = {},
): Promise<T> {
  const deadline = Date.now() + (options.withinMs ?? PATIENCE_MS);
  for (;;) {
    const value = await read();
    if (accept(value)) return value;
    if (Date.now() > deadline) {
      throw new Error(`not reached in time; last seen: ${JSON.stringify(value)?.slice(0, 2_000)}`);
    }
    await sleep(options.everyMs ?? 20);
  }
}
