import { continueReplay } from '../../shared/delivery/webhooks/replay.ts';
import { replayEventsJob } from '../../shared/delivery/webhooks/webhook.jobs.ts';
import { done, handle, snooze } from '../runtime/job-handler.ts';

/**
 * Schedules a replay batch by batch, each with how far it got in one transaction; waits while many of its deliveries
 * are still to be sent.
 */
export const replayEventsHandler = handle(replayEventsJob, async (context, { replayId }) => {
  for (;;) {
    context.signal.throwIfAborted();
    const { until, more } = await continueReplay(context.runtime, replayId, context.job);
    if (!more) return done();
    if (until !== null) return snooze(until);
  }
});
