import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { Money } from '../../platform/money.ts';
import type { Payout, PayoutMove, PayoutOwner, PayoutSource, PayoutStatus } from './payout.ts';

const COLUMNS = `id, partner_id as "partnerId", environment, source, amount_cents as "amountCents", currency,
  status, settlement_id as "settlementId", reference, reversal_reference as "reversalReference", failure_reason as "failureReason",
  created_at as "createdAt", paid_at as "paidAt", failed_at as "failedAt"`;

type PayoutRow = Omit<Payout, 'amount'> & { amountCents: number; currency: string };

function toPayout({ amountCents, currency, ...rest }: PayoutRow): Payout {
  return { ...rest, amount: new Money(amountCents, currency) };
}

export async function insertPayout(tx: Tx, payout: Payout): Promise<void> {
  await tx('payouts').insert({
    id: payout.id,
    partner_id: payout.partnerId,
    environment: payout.environment,
    source: payout.source,
    amount_cents: payout.amount.amount,
    currency: payout.amount.currency,
    status: payout.status,
    settlement_id: payout.settlementId,
    created_at: payout.createdAt,
  });
}

/** A payout of any partner, locked. */
export async function lockPayout(tx: Tx, id: string): Promise<Payout | undefined> {
  const { rows } = await tx.raw(`select ${COLUMNS} from payouts where id = :id for update`, { id });
  return rows[0] && toPayout(rows[0]);
}

/** A payout of any partner. */
export async function findPayout(sql: Sql, id: string): Promise<Payout | undefined> {
  const { rows } = await sql.raw(`select ${COLUMNS} from payouts where id = :id`, { id });
  return rows[0] && toPayout(rows[0]);
}

/** The conditional update of a move; undefined when the payout is not in a from-state. */
export async function updatePayout(
  tx: Tx,
  id: string,
  move: PayoutMove,
  at: {
    now: Date;
    /** Null leaves it. */
    reference: string | null;
    reversalReference: string | null;
    failureReason: string | null;
  },
): Promise<Payout | undefined> {
  const { rows } = await tx.raw(
    `update payouts set status = :to, reference = coalesce(:reference, reference),
       reversal_reference = :reversalReference, failure_reason = :failureReason,
       paid_at = case when :to = 'paid' then :now::timestamptz end,
       failed_at = case when :to = 'failed' then :now::timestamptz end
     where id = :id and status = any(:from) returning ${COLUMNS}`,
    { id, from: [...move.from], to: move.to, ...at },
  );
  return rows[0] && toPayout(rows[0]);
}

export interface PayoutFilter {
  from: Date | null;
  to: Date | null;
  statuses: readonly PayoutStatus[] | null;
  /** The last row of the page before. */
  before: { createdAt: Date; id: string } | null;
  limit: number;
}

/** A partner's payouts, newest first. */
export async function listPayouts(
  sql: Sql,
  owner: PayoutOwner,
  filter: PayoutFilter,
): Promise<Payout[]> {
  const { rows } = await sql.raw(
    `select ${COLUMNS} from payouts
     where partner_id = :partnerId and environment = :environment
       and (:from::timestamptz is null or created_at >= :from)
       and (:to::timestamptz is null or created_at < :to)
       and (:statuses::text[] is null or status = any(:statuses))
       and (:beforeAt::timestamptz is null or (created_at, id) < (:beforeAt, :beforeId::text))
     order by created_at desc, id desc limit :limit`,
    {
      partnerId: owner.partnerId,
      environment: owner.environment,
      from: filter.from,
      to: filter.to,
      statuses: filter.statuses && [...filter.statuses],
      beforeAt: filter.before?.createdAt ?? null,
      beforeId: filter.before?.id ?? null,
      limit: filter.limit,
    },
  );
  return rows.map(toPayout);
}

/**
 * Payouts of all partners in one status, oldest first.
 * @param scope.held only those of suspended partners, or only those of the others; null is both
 */
export async function listByStatus(
  sql: Sql,
  status: PayoutStatus,
  scope: { partnerId: string | null; held: boolean | null; limit: number },
): Promise<Payout[]> {
  const { rows } = await sql.raw(
    `select ${COLUMNS} from payouts y
     where status = :status and (:partnerId::text is null or partner_id = :partnerId)
       and (:held::boolean is null or :held = exists (
         select 1 from partners p where p.id = y.partner_id and p.status = 'suspended'))
     order by created_at, id limit :limit`,
    { status, ...scope },
  );
  return rows.map(toPayout);
}

/** What is open of one source and currency. */
export interface OpenBalance {
  source: PayoutSource;
  amount: Money;
  settlementIds: string[];
}

type OpenRow = Omit<OpenBalance, 'amount'> & { amountCents: number; currency: string };

/**
 * What no payout has taken yet, where it comes to more than nothing, with its rows locked.
 * @param releasedBy only where a payout failed until then
 */
export async function lockOpenBalances(
  tx: Tx,
  owner: PayoutOwner,
  scope: { currency: string | null; releasedBy: Date | null },
): Promise<OpenBalance[]> {
  const { rows } = await tx.raw(
    `with open as (
       select settlement_id, source, currency, amount_cents, released_at from settlement_payables
       where partner_id = :partnerId and environment = :environment and payout_id is null
         and (:currency::text is null or currency = :currency)
       order by settlement_id, source for update)
     select source, currency, sum(amount_cents) as "amountCents",
       array_agg(settlement_id) as "settlementIds"
     from open group by source, currency
     having sum(amount_cents) > 0
       and (:releasedBy::timestamptz is null or min(released_at) <= :releasedBy)
     order by currency, source`,
    { partnerId: owner.partnerId, environment: owner.environment, ...scope },
  );
  return rows.map(({ source, currency, amountCents, settlementIds }: OpenRow) => ({
    source,
    amount: new Money(amountCents, currency),
    settlementIds,
  }));
}

/** Puts the rows of an open balance into a payout. */
export async function assignPayables(
  tx: Tx,
  payoutId: string,
  { source, settlementIds }: OpenBalance,
): Promise<void> {
  await tx.raw(
    `update settlement_payables set payout_id = :payoutId
     where settlement_id = any(:settlementIds) and source = :source`,
    { payoutId, source, settlementIds },
  );
}

/** Opens what a payout had taken for the next one. */
export async function releasePayables(tx: Tx, payoutId: string, now: Date): Promise<void> {
  await tx.raw(
    `update settlement_payables set payout_id = null, released_at = :now where payout_id = :payoutId`,
    { payoutId, now },
  );
}

export async function insertPayables(
  tx: Tx,
  statement: PayoutOwner & { id: string },
  amounts: readonly { source: PayoutSource; amount: Money }[],
): Promise<void> {
  await tx('settlement_payables').insert(
    amounts.map(({ source, amount }) => ({
      settlement_id: statement.id,
      source,
      partner_id: statement.partnerId,
      environment: statement.environment,
      currency: amount.currency,
      amount_cents: amount.amount,
    })),
  );
}

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
