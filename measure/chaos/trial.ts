import { createRandom, type Random } from '../../db/seeds/random.ts';

/** How much a run does: `short` for every change, `normal` by hand, `long` overnight. */
export type Size = 'short' | 'normal' | 'long';

/** Counts of what was sent, and of what really arrived or happened. */
export interface Tally {
  /** Events of the history that a receiver should get. */
  events: number;
  /** Events that it accepted at least once. */
  received: number;
  /** Events that it accepted again. */
  duplicates: number;
  /** Events that had to wait for an earlier one of the same subject. */
  ordered: number;
  lost: number;
  orders: number;
  /** Ledger entries of orders, and pushes that the registrar got. */
  entries: number;
  pushes: number;
  /** Sum of all postings of the ledger, in minor units. */
  sum: number;
}

/** One fault run with one seed; records its results. */
export interface Trial {
  readonly seed: number;
  readonly size: Size;
  readonly random: Random;
  /** Returns the number for the run's size. */
  amount(of: Readonly<Record<Size, number>>): number;
  /** Returns a random integer from `low` to `high`, inclusive. */
  whole(low: number, high: number): number;
  /** Returns `count` random steps from 1 to `steps`, sorted. */
  moments(count: number, steps: number): number[];
  /** Adds a note to the run's report. */
  note(text: string): void;
  /** If `holds` is false, the run fails with this text, but goes on. */
  expect(holds: boolean, what: string): void;
  count(more: Partial<Tally>): void;
  /** Records the time from the end of a fault to full recovery; the longest counts. */
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
  /** Takes too long to run for every change: `--short` skips it unless it is named. */
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
