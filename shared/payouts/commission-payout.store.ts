import type { Sql } from '../platform/db.ts';
import { Money } from '../platform/money.ts';
import type { PayoutOwner } from './payout.ts';
import type { PayoutStatus } from './payout-states.ts';

/** A payout of referral commissions. */
export interface CommissionPayout {
  id: string;
  amount: Money;
  status: PayoutStatus;
  reference: string | null;
  createdAt: Date;
  paidAt: Date | null;
}

export interface CommissionPayoutFilter {
  /** The currency of the total; the list has all. */
  currency: string;
  from: Date | null;
  to: Date | null;
  before: { createdAt: Date; id: string } | null;
  limit: number;
}

type CommissionPayoutRow = Omit<CommissionPayout, 'amount'> & {
  amountCents: number;
  currency: string;
  totalPaidCents: number;
};

/** A page of an affiliate's payouts, newest first, and all that it was ever paid in one currency. */
export async function listCommissionPayouts(
  sql: Sql,
  owner: PayoutOwner,
  filter: CommissionPayoutFilter,
): Promise<{ payouts: CommissionPayout[]; totalPaidCents: number }> {
  const { rows } = await sql.raw(
    `with total as (
       select coalesce(sum(amount_cents), 0) as paid from payouts
       where partner_id = :partnerId and environment = :environment and source = 'referral'
         and status = 'paid' and currency = :currency),
     page as (
       select id, amount_cents, currency, status, reference, created_at, paid_at from payouts
       where partner_id = :partnerId and environment = :environment and source = 'referral'
         and (:from::timestamptz is null or created_at >= :from)
         and (:to::timestamptz is null or created_at < :to)
         and (:beforeAt::timestamptz is null or (created_at, id) < (:beforeAt, :beforeId::text))
       order by created_at desc, id desc limit :limit)
     select t.paid as "totalPaidCents", p.id, p.amount_cents as "amountCents", p.currency, p.status,
       p.reference, p.created_at as "createdAt", p.paid_at as "paidAt"
     from total t left join page p on true order by p.created_at desc, p.id desc`,
    {
      partnerId: owner.partnerId,
      environment: owner.environment,
      currency: filter.currency,
      from: filter.from,
      to: filter.to,
      limit: filter.limit,
      beforeAt: filter.before?.createdAt ?? null,
      beforeId: filter.before?.id ?? null,
    },
  );
  const payouts = rows
    .filter((row: { id: string | null }) => row.id !== null)
    .map(({ amountCents, currency, totalPaidCents: _, ...rest }: CommissionPayoutRow) => ({
      ...rest,
      amount: new Money(amountCents, currency),
    }));
  return { payouts, totalPaidCents: rows[0].totalPaidCents };
}
