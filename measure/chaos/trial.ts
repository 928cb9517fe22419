import { createRandom, type Random } from '../../db/seeds/random.ts';

/** How much a run does: `short` for every change, `normal` by hand, `long` over a night. */
export type Size = 'short' | 'normal' | 'long';

/** What was sent and what really arrived or happened. */
export interface Tally {
  /** Events of the history that a receiver was to get. */
  events: number;
  /** Of them, those that it got at least once. */
  received: number;
  /** Events that it accepted once more. */
  duplicates: number;
  /** Events that had to wait for one of the same subject. */
  ordered: number;
  lost: number;
  orders: number;
  /** Ledger entries of sales, and pushes that the registrar saw. */
  entries: number;
  pushes: number;
  /** Sum of all postings of the ledger, in minor units. */
  sum: number;
}

/** One fault run with one seed: where it notes what it saw. */
export interface Trial {
  readonly seed: number;
  readonly size: Size;
  readonly random: Random;
  /** Its own number for each size. */
  amount(of: Readonly<Record<Size, number>>): number;
  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number;
  /** `count` moments in a course of so many steps, in order. */
  moments(count: number, steps: number): number[];
  /** Adds to what is told of the run. */
  note(text: string): void;
  /** Something must hold; when it does not, the run has failed, and goes on. */
  expect(holds: boolean, what: string): void;
  count(more: Partial<Tally>): void;
  /** Time from the end of a fault until all was well again; the longest counts. */
  recovered(ms: number): void;
  readonly tally: Partial<Tally>;
  readonly notes: readonly string[];
  readonly failures: readonly string[];
  readonly recoveryMs: number | null;
}

/** A fault and what must hold under it. */
export interface FaultRun {
  /** `F1`, `F2` and so on. */
  id: string;
  title: string;
  /** Takes longer than a change should wait for: the short form leaves it out unless it is named. */
  slow?: boolean;
  run(trial: Trial): Promise<void>;
}

export function createTrial(seed: number, size: Size): Trial {
  const random = createRandom(seed);
  const tally: Partial<Tally> = {};
  const notes: string[] = [];
  const failures: string[] = [];
  let recoveryMs: number | null = null;
  const whole = (low: number, high: number) => Math.floor(random.between(low, high + 1));
  return {
    seed,
    size,
    random,
    tally,
    notes,
    failures,
    get recoveryMs() {
      return recoveryMs;
    },
    amount: (of) => of[size],
    whole,
    moments: (count, steps) =>
      Array.from({ length: count }, () => whole(1, steps)).sort((a, b) => a - b),
    note: (text) => void notes.push(text),
    expect(holds, what) {
      if (!holds) failures.push(what);
    },
    count(more) {
      for (const [name, value] of Object.entries(more) as [keyof Tally, number][]) {
        tally[name] = (tally[name] ?? 0) + value;
      }
    },
    recovered(ms) {
      recoveryMs = Math.max(recoveryMs ?? 0, ms);
    },
  };
}
