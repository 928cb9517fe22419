export const BULK_JOB_STATUSES = [
  'queued',
  'running',
  'completed',
  'completed_with_errors',
  'cancelled',
] as const;

export type BulkJobStatus = (typeof BULK_JOB_STATUSES)[number];

export interface BulkJobMove {
  from: readonly BulkJobStatus[];
  to: BulkJobStatus;
  /** Nobody is told of bulk jobs by event. */
  event: null;
}

/** Every move of a bulk job. Drawn in docs/states.md. */
export const BULK_JOB_MOVES = {
  start: { from: ['queued'], to: 'running', event: null },
  complete: { from: ['running'], to: 'completed', event: null },
  complete_with_errors: { from: ['running'], to: 'completed_with_errors', event: null },
  cancel: { from: ['queued', 'running'], to: 'cancelled', event: null },
} as const satisfies Record<string, BulkJobMove>;

export type BulkJobMoveName = keyof typeof BULK_JOB_MOVES;
