import { confirmDeliveryIfAwaited } from '../../shared/transfers/confirm-delivery.ts';
import { ConfirmDeliveryPayload } from '../../shared/transfers/transfer.jobs.ts';
import { done } from '../runtime/outcome.ts';
import { defineHandler } from '../runtime/row.ts';

/** Confirms a delivery that the registrar called done, under the automatic policy. */
export const confirmDeliveryHandler = defineHandler({
  queue: 'transfers',
  name: 'confirm-delivery',
  payload: ConfirmDeliveryPayload,
  deadlineMs: 10_000,
  retryMs: [1_000, 5_000, 30_000, 120_000, 600_000],
  async processor({ runtime, finish }, { orderId }) {
    await runtime.db.transact(async (tx) => {
      await confirmDeliveryIfAwaited(tx, runtime, orderId);
      await finish(tx);
    });
    return done();
  },
});
