import { MINUTE } from '../../shared/platform/clock.ts';
import type { ScheduledTask } from '../runtime/row.ts';

/** Has vectors made for listings that are new or changed, where a model is configured. */
export const refreshEmbeddingsTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'refresh-embeddings',
  everyMs: MINUTE,
  deadlineMs: MINUTE,
  tick: ({ runtime, signal }) => runtime.embeddings.refresh(signal),
};
