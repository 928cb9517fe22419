import { startTransferIfPaid } from '../../shared/transfers/start-transfer.ts';
import { StartTransferPayload } from '../../shared/transfers/transfer.jobs.ts';
import { done } from '../runtime/outcome.ts';
import { defineHandler } from '../runtime/row.ts';

/** Starts the transfer of a paid order, under the automatic policy. */
export const startTransferHandler = defineHandler({
  queue: 'transfers',
  name: 'start-transfer',
  payload: StartTransferPayload,
  deadlineMs: 10_000,
  retryMs: [1_000, 5_000, 30_000, 120_000, 600_000],
  async processor({ runtime, finish }, { orderId }) {
    await runtime.db.transact(async (tx) => {
      await startTransferIfPaid(tx, runtime, orderId);
      await finish(tx);
    });
    return done();
  },
});
