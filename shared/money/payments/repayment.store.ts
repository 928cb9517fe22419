import type { Environment } from '../../platform/config/config.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { type Cents, Money } from '../../platform/money.ts';
import type { Repayment } from './repayment.ts';

type Row = Omit<Repayment, 'amount'> & { amountCents: Cents; currency: string };

const toRepayment = ({ amountCents, currency, ...rest }: Row): Repayment => ({
  ...rest,
  amount: new Money(amountCents, currency),
});

const COLUMNS = `r.order_id as "orderId", r.partner_id as "partnerId", r.environment, o.domain,
  o.buyer_email as "buyerEmail", r.amount_cents as "amountCents", r.currency, r.status, r.reference,
  r.created_at as "createdAt", r.paid_at as "paidAt"`;

export async function insertOwed(
  tx: Tx,
  owed: { orderId: string; partnerId: string; environment: Environment; amount: Money; now: Date },
): Promise<void> {
  const { amount, ...rest } = owed;
  await tx.raw(
    `insert into buyer_repayments (order_id, partner_id, environment, amount_cents, currency, status, created_at)
     values (:orderId, :partnerId, :environment, :amountCents, :currency, 'owed', :now)`,
    { ...rest, amountCents: amount.amount, currency: amount.currency },
  );
}

/** Those that are owed, the oldest first. */
export async function selectOwed(sql: Sql, limit: number): Promise<Repayment[]> {
  const { rows } = await sql.raw(
    `select ${COLUMNS} from buyer_repayments r join orders o on o.id = r.order_id
     where r.status = 'owed' order by r.created_at, r.order_id limit :limit`,
    { limit },
  );
  return rows.map(toRepayment);
}

export async function selectRepayment(sql: Sql, orderId: string): Promise<Repayment | undefined> {
  const { rows } = await sql.raw(
    `select ${COLUMNS} from buyer_repayments r join orders o on o.id = r.order_id
     where r.order_id = :orderId`,
    { orderId },
  );
  return rows[0] && toRepayment(rows[0]);
}

/** False when it was paid already, or nothing is owed. */
export async function markPaid(
  tx: Tx,
  orderId: string,
  paid: { reference: string; now: Date },
): Promise<boolean> {
  const result = await tx.raw(
    `update buyer_repayments set status = 'paid', reference = :reference, paid_at = :now
     where order_id = :orderId and status = 'owed'`,
    { orderId, ...paid },
  );
  return result.rowCount === 1;
}
