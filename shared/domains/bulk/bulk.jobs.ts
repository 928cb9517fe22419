import { type Static, Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';

const Position = Type.Integer({ minimum: 0 });

/** A range of positions in a bulk job: `from` inclusive, `to` exclusive. */
const Chunk = Type.Object({ jobId: Type.String(), from: Position, to: Position });
export type Chunk = Static<typeof Chunk>;

/** Runs one chunk of a bulk job. The retries cover domains for which the registrar did not respond. */
export const runChunkJob = defineJob({
  queue: 'bulk-domains',
  name: 'run-chunk',
  payload: Chunk,
  deadlineMs: 5 * MINUTE,
  retryMs: [
    SECOND,
    5 * SECOND,
    15 * SECOND,
    30 * SECOND,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    10 * MINUTE,
    10 * MINUTE,
  ],
  dedupeKey: ({ jobId, from }) => `bulk:${jobId}:${from}`,
});

/** Splits a bulk job into chunks of `size` domains. */
export function chunksOf({ id, total }: { id: string; total: number }, size: number): Chunk[] {
  return Array.from({ length: Math.ceil(total / size) }, (_, at) => ({
    jobId: id,
    from: at * size,
    to: Math.min(total, (at + 1) * size),
  }));
}
