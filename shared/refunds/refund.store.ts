import type { Tx } from '../platform/db.ts';
import type { Refund } from './refund.ts';

export async function insertRefund(tx: Tx, refund: Refund): Promise<void> {
  await tx.raw(
    `insert into refunds (id, order_id, partner_id, environment, kind, amount_cents, currency, reason, note,
       requested_by, created_at)
     values (:id, :orderId, :partnerId, :environment, :kind, :amountCents, :currency, :reason, :note,
       :requestedBy, :createdAt)`,
    { ...refund },
  );
}
