import { recordAudit } from '../../shared/audit/record-audit.ts';
import { readTransfer } from '../../shared/transfers/read-transfer.ts';
import { CancelPushPayload, PUSH_RETRY_MS } from '../../shared/transfers/transfer.jobs.ts';
import { clientReference } from '../../shared/transfers/transfer.ts';
import { done } from '../runtime/outcome.ts';
import { job } from '../runtime/row.ts';

/**
 * Stops the push of an order that was refunded while it was under way. What came of it goes into the
 * audit trail: after `too_late` the domain has to be fetched back by people.
 */
export const cancelPushRow = job({
  queue: 'transfers',
  name: 'cancel-push',
  payload: CancelPushPayload,
  deadlineMs: 30_000,
  retryMs: PUSH_RETRY_MS,
  async processor({ runtime, finish }, { orderId, attempt }) {
    const transfer = await readTransfer(runtime, orderId);
    if (!transfer) return done();
    const registrar = runtime.registrars(transfer.environment);
    const result = await registrar.cancel(clientReference(transfer.id, attempt));
    await runtime.db.transact(async (tx) => {
      const entry = {
        actor: 'worker',
        action: 'transfer:cancel-push',
        subject: orderId,
        after: { registrar: registrar.name, attempt, result },
      };
      await recordAudit(tx, entry, runtime.clock.now());
      await finish(tx);
    });
    return done();
  },
});
