const ATTEMPTS = 6;

/**
 * Does something that has to be quick, again when it was not: one slow time may be the machine's doing, several are ours.
 * Gives what the first quick one gave. @throws Error with all the times when none was
 */
export async function quickEnough<T>(limitMs: number, act: () => Promise<T> | T): Promise<T> {
  const taken: number[] = [];
  while (taken.length < ATTEMPTS) {
    const begin = performance.now();
    const result = await act();
    const ms = performance.now() - begin;
    if (ms < limitMs) return result;
    taken.push(Math.round(ms));
  }
  throw new Error(`never within ${limitMs} ms, but in ${taken.join(', ')} ms`);
}
