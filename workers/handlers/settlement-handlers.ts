import { MINUTE } from '../../shared/platform/clock.ts';
import {
  closeDuePeriods,
  closePartnerInRun,
  startSettlementRun,
} from '../../shared/settlement/statements/run-settlements.ts';
import {
  closePartnerJob,
  startRunJob,
} from '../../shared/settlement/statements/settlement-run.jobs.ts';
import { done, handle, type ScheduledTask } from '../runtime/job-handler.ts';

/** Starts the settlement of every period that has ended. */
export const closeDuePeriodsTask: ScheduledTask = {
  queue: 'settlements',
  name: 'close-due-periods',
  everyMs: 5 * MINUTE,
  deadlineMs: MINUTE,
  run: ({ runtime }) => closeDuePeriods(runtime),
};

/** Fans a settlement run out. */
export const startRunHandler = handle(startRunJob, async ({ runtime, job }, { runId }) => {
  await startSettlementRun(runtime, runId, job);
  return done();
});

export const closePartnerHandler = handle(
  closePartnerJob,
  async ({ runtime, signal, job }, part) => {
    await closePartnerInRun(runtime, part, { job, betweenBatches: () => signal.throwIfAborted() });
    return done();
  },
);
