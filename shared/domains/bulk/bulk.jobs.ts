import { type Static, Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';

const Position = Type.Integer({ minimum: 0 });

/** The domains of a bulk job from one position up to, but not including, another. */
const Chunk = Type.Object({ jobId: Type.String(), from: Position, to: Position });
export type Chunk = Static<typeof Chunk>;

/**
 * Carries one chunk of a bulk operation through. The waits are for domains that the registrar did not answer for.
 */
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

/** The chunks of a whole bulk job, `size` domains each. */
export function chunksOf({ id, total }: { id: string; total: number }, size: number): Chunk[] {
  return Array.from({ length: Math.ceil(total / size) }, (_, at) => ({
    jobId: id,
    from: at * size,
    to: Math.min(total, (at + 1) * size),
  }));
}
