/** Numbers and choices that are the same for the same seed. */
export interface Random {
  /** From 0 up to, but not including, 1. */
  next(): number;
  /** Whether something happens that has this probability. */
  chance(probability: number): boolean;
  /** From `min` to `max`, both included. */
  between(min: number, max: number): number;
  pick<T>(from: readonly T[]): T;
  /** Some of them in random order, at most `count`. */
  sample<T>(from: readonly T[], count: number): T[];
  /** One of the keys, each as likely as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K;
  /** Normally distributed around 0. */
  normal(deviation: number): number;
}

/** Mulberry32: small, and good enough to make up an inventory. */
export function seededRandom(seed: number): Random {
  let state = (seed * 0x9e3779b1) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const random: Random = {
    next,
    chance: (probability) => next() < probability,
    between: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick: <T>(from: readonly T[]) => from[Math.floor(next() * from.length)] as T,
    sample: (from, count) => {
      const rest = [...from];
      return Array.from({ length: Math.min(count, rest.length) }, () =>
        rest.splice(Math.floor(next() * rest.length), 1),
      ).flat();
    },
    weighted: <K extends string>(weights: Readonly<Record<K, number>>) => {
      const entries = Object.entries(weights) as [K, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [key, weight] of entries) {
        left -= weight;
        if (left < 0) return key;
      }
      return (entries.at(-1) as [K, number])[0];
    },
    normal: (deviation) =>
      deviation * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
  return random;
}
