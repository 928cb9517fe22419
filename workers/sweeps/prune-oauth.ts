import { pruneOAuth } from '../../shared/oauth/prune-oauth.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import type { ScheduledTask } from '../runtime/row.ts';
import { runInBatches } from './in-batches.ts';

/** Deletes what is left of sign-ins that are over, and clients that nobody uses. */
export const pruneOAuthTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-oauth',
  everyMs: 10 * MINUTE,
  deadlineMs: MINUTE,
  tick: ({ runtime, signal }) => runInBatches(signal, (limit) => pruneOAuth(runtime, limit)),
};
