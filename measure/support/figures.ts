import type { Child } from './child.ts';

/** One measured promise: what we do, and the limit that the machine sets, in the same run. */
export interface Figure {
  name: string;
  unit: string;
  /** One value a round. */
  ours: readonly number[];
  limit: readonly number[];
  limitName: string;
  /** Times and sizes, of which less is better; of everything else more is. */
  lessIsBetter?: boolean;
  /** What is aimed at: a share of the limit, or for times and sizes a bound in the unit. */
  goal?: { share: number } | { most: number };
  /** Processor time of the serving process for one unit, in microseconds, one value a round. */
  cpu?: { ours: readonly number[]; limit: readonly number[] };
}

const ROUNDS = 5;

/**
 * Measures both sides in turn, so that what else the machine does hits them alike; one round of each
 * before that warms them up. `ours` and `limit` return units a second.
 */
export async function alternate(
  ours: () => Promise<number>,
  limit: () => Promise<number>,
  rounds = ROUNDS,
): Promise<{ ours: number[]; limit: number[] }> {
  await limit();
  await ours();
  const result = { ours: [] as number[], limit: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    result.limit.push(await limit());
    result.ours.push(await ours());
  }
  return result;
}

/**
 * {@link alternate} for requests to two processes, with the processor time that each takes for one of them:
 * unlike the rate, that hardly changes with what else the machine does.
 */
export async function alternateServers(
  requests: number,
  ours: { child: Child; load: () => Promise<number> },
  limit: { child: Child; load: () => Promise<number> },
): Promise<Pick<Figure, 'ours' | 'limit' | 'cpu'>> {
  const cpu = { ours: [] as number[], limit: [] as number[] };
  const metered =
    (side: 'ours' | 'limit', { child, load }: typeof ours) =>
    async () => {
      const before = await child.usage();
      const rate = await load();
      const after = await child.usage();
      cpu[side].push((after.cpuMicros - before.cpuMicros) / requests);
      return rate;
    };
  const rates = await alternate(metered('ours', ours), metered('limit', limit));
  return { ...rates, cpu: { ours: cpu.ours.slice(1), limit: cpu.limit.slice(1) } };
}

/** `work` in units a second. */
export async function perSecond(units: number, work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (units * 1_000) / (performance.now() - started);
}

/** Runs `job(i)` for 0..count-1, `concurrency` at a time. */
export async function inParallel(
  count: number,
  concurrency: number,
  job: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      await job(index);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
}

/** `work` again and again, one after the other. */
export async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < count; i += 1) await work();
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Ours as a share of the limit: 1 is the limit, and more is better. */
export function shareOfLimit({
  ours,
  limit,
  lessIsBetter,
}: Pick<Figure, 'ours' | 'limit' | 'lessIsBetter'>): number {
  const share = median(ours) / median(limit);
  return lessIsBetter ? 1 / share : share;
}

export function reachesGoal(figure: Figure): boolean | undefined {
  if (!figure.goal) return undefined;
  if ('most' in figure.goal) return median(figure.ours) <= figure.goal.most;
  return shareOfLimit(figure) >= figure.goal.share;
}
