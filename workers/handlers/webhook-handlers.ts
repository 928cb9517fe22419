import { deliverToEndpoint } from '../../shared/messaging/webhooks/deliver-to-endpoint.ts';
import { continueReplay } from '../../shared/messaging/webhooks/replay.ts';
import { scheduleForgotten } from '../../shared/messaging/webhooks/schedule-deliveries.ts';
import { deliverJob, replayEventsJob } from '../../shared/messaging/webhooks/webhook.jobs.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import { done, handle, type ScheduledTask, snooze } from '../runtime/job-handler.ts';

/** Delivers what is due to an endpoint, and enqueues another job for the rest. */
export const deliverHandler = handle(deliverJob, async ({ runtime, ...context }, payload) =>
  done(await deliverToEndpoint(runtime, context, payload)),
);

/** Enqueues jobs for endpoints with deliveries but no job; there should be none. */
export const findForgottenEndpointsTask: ScheduledTask = {
  queue: 'webhooks',
  name: 'find-forgotten-endpoints',
  everyMs: MINUTE,
  deadlineMs: MINUTE,
  run: ({ runtime }) => scheduleForgotten(runtime),
};

/**
 * Schedules a replay in batches, each in one transaction with its progress; pauses while many of its deliveries are
 * unsent.
 */
export const replayEventsHandler = handle(replayEventsJob, async (context, { replayId }) => {
  for (;;) {
    context.signal.throwIfAborted();
    const { until, more } = await continueReplay(context.runtime, replayId, context.job);
    if (!more) return done();
    if (until !== null) return snooze(until);
  }
});
