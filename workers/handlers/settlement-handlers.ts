import {
  closePartnerInRun,
  startSettlementRun,
} from '../../shared/settlement/statements/run-settlements.ts';
import {
  closePartnerJob,
  startRunJob,
} from '../../shared/settlement/statements/settlement-run.jobs.ts';
import { done, handle } from '../runtime/job-handler.ts';

/** Fans out a settlement run. */
export const startRunHandler = handle(startRunJob, async ({ runtime, job }, { runId }) => {
  await startSettlementRun(runtime, runId, job);
  return done();
});

export const closePartnerHandler = handle(
  closePartnerJob,
  async ({ runtime, signal, job }, part) => {
    const betweenBatches = () => signal.throwIfAborted();
    for (const ms of await closePartnerInRun(runtime, part, { job, betweenBatches })) {
      runtime.metrics.statementSeconds.observe(ms / 1_000);
    }
    return done();
  },
);
