import { closePartnerInRun } from '../../shared/settlements/close-run-partner.ts';
import { ClosePartnerPayload } from '../../shared/settlements/settlement.jobs.ts';
import { done } from '../runtime/outcome.ts';
import { defineHandler } from '../runtime/row.ts';

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
