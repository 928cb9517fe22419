import type { Answered, LoadClient } from './load-client.ts';

/** A rate held for a while, and its results. */
export interface Stage {
  /** Relative to the measured capacity; 2 is twice as much. */
  share: number;
  perSecond: number;
  /** Accepted requests per second. */
  taken: number;
  shed: number;
  failed: number;
  /** Of accepted requests, in milliseconds. */
  p50: number;
  p99: number;
  p999: number;
  answers: readonly Answered[];
}

/** Runs one stage and counts outcomes. */
export async function runStage(
  client: LoadClient,
  capacity: number,
  share: number,
  seconds: number,
): Promise<Stage> {
  const perSecond = capacity * share;
  const answers = await client.arrivals(perSecond, seconds);
  const taken = latencies(answers);
  const count = (outcome: Answered['outcome']) =>
    answers.filter((answer) => answer.outcome === outcome).length;
  return {
    share,
    perSecond,
    taken: taken.length / seconds,
    shed: count('shed'),
    failed: count('failed'),
    p50: quantile(taken, 0.5),
    p99: quantile(taken, 0.99),
    p999: quantile(taken, 0.999),
    answers,
  };
}

/** Long enough that a percentile represents several requests. */
const WINDOW_SECONDS = 5;

/**
 * Returns the seconds from the start of a stage until all its later windows were normal: nothing shed, and the 99th
 * percentile at most `calmMs`. Returns the whole stage if it never recovered.
 */
export function secondsToRecover({ answers }: Stage, seconds: number, calmMs: number): number {
  for (let last = seconds - WINDOW_SECONDS; last >= 0; last -= 1) {
    const due = answers.filter(
      ({ dueMs }) => dueMs >= last * 1_000 && dueMs < (last + WINDOW_SECONDS) * 1_000,
    );
    const calm =
      due.every(({ outcome }) => outcome === 'taken') && quantile(latencies(due), 0.99) <= calmMs;
    if (!calm) return last === seconds - WINDOW_SECONDS ? seconds : last + 1;
  }
  return 0;
}

function latencies(answers: readonly Answered[]): number[] {
  return answers
    .filter(({ outcome }) => outcome === 'taken')
    .map(({ ms }) => ms)
    .sort((a, b) => a - b);
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
