/**
 * Joins the calls of one tick into a group. While `atOnce` groups are running, later calls wait and form the next
 * group; a call never joins a group that has started. `run` returns results in the order of its items; if it throws,
 * every call of the group gets the error.
 */
export function batchCalls<I, O>(
  run: (items: readonly I[]) => Promise<readonly O[]>,
  maxSize: number,
  atOnce = 1,
): (item: I) => Promise<O> {
  interface Call {
    item: I;
    resolve(value: O): void;
    reject(error: unknown): void;
  }
  let waiting: Call[] = [];
  let underWay = 0;
  let beginsSoon = false;

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
    underWay -= 1;
  };

  return (item) =>
    new Promise<O>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (beginsSoon || underWay === atOnce) return;
      beginsSoon = true;
      setImmediate(() => {
        beginsSoon = false;
        underWay += 1;
        void drain();
      });
    });
}

/** Like {@link batchCalls}, separately for each key: calls with one key never wait for those with another. */
export function batchCallsByKey<K, I, O>(
  keyOf: (item: I) => K,
  run: (key: K, items: readonly I[]) => Promise<readonly O[]>,
  maxSize: number,
  atOnce = 1,
): (item: I) => Promise<O> {
  const lanes = new Map<K, { join(item: I): Promise<O>; calls: number }>();
  return async (item) => {
    const key = keyOf(item);
    const lane = lanes.get(key) ?? {
      join: batchCalls((items: readonly I[]) => run(key, items), maxSize, atOnce),
      calls: 0,
    };
    lanes.set(key, lane);
    lane.calls += 1;
    try {
      return await lane.join(item);
    } finally {
      lane.calls -= 1;
      if (lane.calls === 0) lanes.delete(key);
    }
  };
}
