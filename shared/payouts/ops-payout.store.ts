import type { Sql } from '../platform/db.ts';
import type { Payout } from './payout.ts';

/** A payout of any partner. */
export async function findAnyPayout(sql: Sql, id: string): Promise<Payout | undefined> {
  const { rows } = await sql.raw(
    `select id, partner_id as "partnerId", environment, source, amount_cents as "amountCents", currency,
       status, settlement_id as "settlementId", reference, failure_reason as "failureReason",
       created_at as "createdAt", paid_at as "paidAt", failed_at as "failedAt"
     from payouts where id = :id`,
    { id },
  );
  return rows[0];
}
