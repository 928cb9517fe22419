import { StartRunPayload } from '../../shared/settlements/settlement.jobs.ts';
import { startSettlementRun } from '../../shared/settlements/start-run.ts';
import { done } from '../runtime/outcome.ts';
import { defineHandler } from '../runtime/row.ts';

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
