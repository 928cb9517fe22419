import { MINUTE } from '../../shared/platform/clock.ts';
import {
  closeDuePeriods,
  closePartnerInRun,
  startSettlementRun,
} from '../../shared/settlement/statements/run-settlements.ts';
import {
  ClosePartnerPayload,
  StartRunPayload,
} from '../../shared/settlement/statements/settlement-run.jobs.ts';
import { defineHandler, done, type ScheduledTask } from '../runtime/job-handler.ts';

/** Starts the settlement of every period that has ended. */
export const closeDuePeriodsTask: ScheduledTask = {
  queue: 'settlements',
  name: 'close-due-periods',
  everyMs: 5 * MINUTE,
  deadlineMs: MINUTE,
  tick: ({ runtime }) => closeDuePeriods(runtime),
};

/** Fans a settlement run out: one job for every partner that it has work for. */
export const startRunHandler = defineHandler({
  queue: 'settlements',
  name: 'start-run',
  payload: StartRunPayload,
  deadlineMs: 60_000,
  retryMs: [1_000, 5_000, 30_000, 120_000, 600_000],
  async processor({ runtime, finish }, { runId }) {
    await startSettlementRun(runtime, runId, finish);
    return done();
  },
});

/** Closes a run's periods for one partner, batch by batch; ended in between, the next attempt goes on. */
export const closePartnerHandler = defineHandler({
  queue: 'settlements',
  name: 'close-partner',
  payload: ClosePartnerPayload,
  deadlineMs: 600_000,
  retryMs: [1_000, 5_000, 30_000, 120_000, 600_000, 600_000],
  async processor({ runtime, signal, finish }, part) {
    await closePartnerInRun(runtime, part, {
      betweenBatches: () => signal.throwIfAborted(),
      finish,
    });
    return done();
  },
});
