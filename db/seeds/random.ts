/** Reproducible random numbers: mulberry32 with a 32-bit seed. */
export interface Random {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  between(low: number, high: number): number;
}

export function createRandom(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    chance: (probability) => next() < probability,
    pick: (from) => {
      const found = from[Math.floor(next() * from.length)];
      if (found === undefined) throw new RangeError('nothing to pick from');
      return found;
    },
    between: (low, high) => low + next() * (high - low),
  };
}
