/** Rows that one statement of a sweep changes at most: long statements hold locks and bloat. */
const BATCH = 1_000;

/** Repeats `sweep` until it finds less than a full batch or must stop; returns the total. */
export async function runInBatches(
  signal: AbortSignal,
  sweep: (limit: number) => Promise<number>,
  batch = BATCH,
): Promise<number> {
  let total = 0;
  while (!signal.aborted) {
    const count = await sweep(batch);
    total += count;
    if (count < batch) break;
  }
  return total;
}
