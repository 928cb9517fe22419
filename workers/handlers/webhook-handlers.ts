import { deliverToEndpoint } from '../../shared/messaging/webhooks/deliver-to-endpoint.ts';
import { continueReplay } from '../../shared/messaging/webhooks/replay.ts';
import { scheduleForgotten } from '../../shared/messaging/webhooks/schedule-deliveries.ts';
import { deliverJob, replayEventsJob } from '../../shared/messaging/webhooks/webhook.jobs.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import { done, handle, type ScheduledTask, snooze } from '../runtime/job-handler.ts';

/** Delivers what is due to an endpoint, and leaves another job for the rest. */
export const deliverHandler = handle(deliverJob, async ({ runtime, ...context }, payload) =>
  done(await deliverToEndpoint(runtime, context, payload)),
);

/** Gives a job to endpoints that wait for one: none should. */
export const findForgottenEndpointsTask: ScheduledTask = {
  queue: 'webhooks',
  name: 'find-forgotten-endpoints',
  everyMs: MINUTE,
  deadlineMs: MINUTE,
  run: ({ runtime }) => scheduleForgotten(runtime),
};

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
