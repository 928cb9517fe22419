/**
 * Joins single calls into groups: a call waits while the group before it is under way, and goes with all
 * that came meanwhile. An idle one starts at the end of the present tick. `run` answers in the order of
 * its items; when it throws, every call of the group gets the error.
 */
export function inBatches<I, O>(
  run: (items: readonly I[]) => Promise<readonly O[]>,
  maxSize: number,
): (item: I) => Promise<O> {
  interface Call {
    item: I;
    resolve(value: O): void;
    reject(error: unknown): void;
  }
  let waiting: Call[] = [];
  let running = false;

  const drain = async () => {
    while (waiting.length > 0) {
      const group = waiting.slice(0, maxSize);
      waiting = waiting.slice(maxSize);
      try {
        const values = await run(group.map((call) => call.item));
        group.forEach((call, index) => {
          call.resolve(values[index] as O);
        });
      } catch (error) {
        for (const call of group) call.reject(error);
      }
    }
    running = false;
  };

  return (item) =>
    new Promise<O>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (running) return;
      running = true;
      setImmediate(() => void drain());
    });
}
