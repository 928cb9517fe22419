import type { Sql } from '../../platform/database/postgres.ts';
import type { Money } from '../../platform/money.ts';
import type { DeclineCode } from './payment-provider.ts';

export interface SandboxPayment {
  reference: string;
  status: 'succeeded' | 'failed' | 'requires_confirmation';
  code: DeclineCode | null;
  expiresAt: Date;
}

/** Nothing happens when the payment is known. */
export async function insertPayment(
  sql: Sql,
  payment: SandboxPayment & {
    paymentId: string;
    amount: Money;
    now: Date;
  },
): Promise<void> {
  await sql.raw(
    `insert into sandbox_payments (reference, payment_id, status, decline_code, amount_cents, currency,
       created_at, expires_at)
     values (:reference, :paymentId, :status, :code, :amountCents, :currency, :now, :expiresAt)
     on conflict (payment_id) do nothing`,
    { ...payment, amountCents: payment.amount.amount, currency: payment.amount.currency },
  );
}

/** By its reference or by our payment id. */
export async function findPayment(
  sql: Sql,
  referenceOrId: string,
): Promise<SandboxPayment | undefined> {
  const { rows } = await sql.raw(
    `select reference, status, decline_code as code, expires_at as "expiresAt" from sandbox_payments
     where reference = :referenceOrId or payment_id = :referenceOrId`,
    { referenceOrId },
  );
  return rows[0];
}

/** Ends the confirmation step; a payment that has ended stays as it is. */
export async function endConfirmation(
  sql: Sql,
  reference: string,
  end: { status: 'succeeded' | 'failed'; code: DeclineCode | null },
): Promise<void> {
  await sql.raw(
    `update sandbox_payments set status = :status, decline_code = :code
     where reference = :reference and status = 'requires_confirmation'`,
    { reference, ...end },
  );
}

/** False when there is no money to give back. */
export async function markRefunded(sql: Sql, reference: string, now: Date): Promise<boolean> {
  const result = await sql.raw(
    `update sandbox_payments set refunded_at = coalesce(refunded_at, :now)
     where reference = :reference and status = 'succeeded'`,
    { reference, now },
  );
  return result.rowCount === 1;
}

/** One that took money and has not given it back stays: its order may still be refunded. */
export async function deleteEndedPayments(sql: Sql, before: Date, limit: number): Promise<number> {
  const result = await sql.raw(
    `delete from sandbox_payments where reference in (
       select reference from sandbox_payments
       where (status <> 'succeeded' or refunded_at is not null) and expires_at < :before
       order by expires_at limit :limit for update skip locked)`,
    { before, limit },
  );
  return result.rowCount ?? 0;
}
