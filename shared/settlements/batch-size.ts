/**
 * How long a batch should keep the partner's history locked: its sales wait for that long. Well below the 200 ms
 * that no batch should take, since none is quite like the one before.
 */
const TARGET_LOCK_MS = 75;

/** Small enough for any machine; the next ones grow. */
export const INITIAL_BATCH_SIZE = 100;

/**
 * How many orders the next batch takes, from how long the last one kept the history locked.
 * @param most the configured bound
 */
export function nextBatchSize(size: number, heldMs: number, most: number): number {
  const fitting = Math.floor((size * TARGET_LOCK_MS) / Math.max(heldMs, 1));
  return Math.max(1, Math.min(fitting, 2 * size, most));
}
