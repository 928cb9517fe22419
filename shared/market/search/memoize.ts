/** The same function, which works a value out once for each key and keeps them all. */
export function memoize<T>(work: (key: string) => T): (key: string) => T {
  const memory = new Map<string, T>();
  return (key) => {
    let value = memory.get(key);
    if (value === undefined) {
      value = work(key);
      memory.set(key, value);
    }
    return value;
  };
}
