/** One measured promise: what we do, and the limit that the machine sets, in the same run. */
export interface Figure {
  name: string;
  unit: string;
  /** One value a round. */
  ours: readonly number[];
  limit: readonly number[];
  limitName: string;
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

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A readable table on standard output: medians, their spread, and the ratio. */
export function printFigures(figures: readonly Figure[]): void {
  for (const figure of figures) {
    const [ours, limit] = [median(figure.ours), median(figure.limit)];
    process.stdout.write(
      [
        '',
        figure.name,
        `  ours   ${format(figure.ours)} ${figure.unit}`,
        `  limit  ${format(figure.limit)} ${figure.unit}   (${figure.limitName})`,
        `  ratio  ${(ours / limit).toFixed(2)}`,
        '',
      ].join('\n'),
    );
  }
}

function format(values: readonly number[]): string {
  const round = (value: number) => Math.round(value).toLocaleString('en-US');
  return `${round(median(values))} (${round(Math.min(...values))} to ${round(Math.max(...values))})`;
}
