import { type Static, Type } from 'typebox';
import type { JobRequest } from '../../delivery/jobs/job.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';

/** Waits before the registrar is asked again about domains that it did not answer for, in milliseconds. */
export const CHUNK_RETRY_MS = [
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
];

const Position = Type.Integer({ minimum: 0 });

/** The domains of a job from one position up to, but not including, another. */
export const ChunkPayload = Type.Object({ jobId: Type.String(), from: Position, to: Position });
export type Chunk = Static<typeof ChunkPayload>;

/** The work of a whole job, `size` domains a chunk. */
export function chunkJobs(
  { id, total }: { id: string; total: number },
  size: number,
  runAt: Date,
): JobRequest[] {
  return Array.from({ length: Math.ceil(total / size) }, (_, at) => {
    const chunk: Chunk = { jobId: id, from: at * size, to: Math.min(total, (at + 1) * size) };
    return {
      queue: 'bulk-domains',
      name: 'run-chunk',
      payload: chunk,
      runAt,
      dedupeKey: `bulk:${id}:${chunk.from}`,
    };
  });
}
