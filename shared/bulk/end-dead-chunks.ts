import { findDeadJobs } from '../outbox/find-dead-jobs.ts';
import { addMs, MINUTE } from '../platform/clock.ts';
import type { Runtime } from '../runtime.ts';
import type { Chunk } from './bulk.jobs.ts';
import { moveJob, selectUnfinished, startItems } from './bulk.store.ts';
import { errorResult } from './bulk-job.ts';
import { recordResults } from './work-chunk.ts';

/** A chunk is tried for longer than this before it is dead. */
const LEAST_AGE_MS = 10 * MINUTE;

const UNKNOWN_OUTCOME = {
  code: 'internal_error',
  message: 'It did not work. Look whether the change was made before you repeat it.',
} as const;

/**
 * Gives a bad result to what is left of chunks that no worker could carry through, so that their jobs end.
 * Looks at up to `limit` unfinished jobs; returns how many domains it gave up.
 */
export async function failDeadChunks(
  runtime: Pick<Runtime, 'db' | 'clock'>,
  limit: number,
): Promise<number> {
  const { db, clock } = runtime;
  const jobIds = await selectUnfinished(db.knex, addMs(clock.now(), -LEAST_AGE_MS), limit);
  if (jobIds.length === 0) return 0;
  const kind = { queue: 'bulk-domains', name: 'run-chunk' } as const;
  const chunks = (await findDeadJobs(runtime, kind, jobIds)) as Chunk[];
  let given = 0;
  for (const chunk of chunks) {
    given += await db.transact(async (tx) => {
      const items = await startItems(tx, chunk);
      // A chunk may have died before anything of its job was done.
      await moveJob(tx, chunk.jobId, 'start');
      const results = items.map(({ position }) => errorResult(position, UNKNOWN_OUTCOME));
      await recordResults(tx, chunk.jobId, { results, facts: [] }, clock.now());
      return items.length;
    });
  }
  return given;
}
