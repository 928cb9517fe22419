import type { Environment } from '../../platform/config/config.ts';
import type { Tx } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  nullable,
  numeric,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { newId } from '../../platform/ids.ts';
import { Money } from '../../platform/money.ts';
import type { CommissionType, NewCommissionLine, ReferredSale } from './commission.ts';
import type { AffiliateOwner } from './referral-link.ts';

const COLUMNS = `order_id as "orderId", link_id as "linkId", partner_id as "partnerId", environment,
  amount_cents as "amountCents", commission_cents as "commissionCents", currency, state`;
const SALE = {
  orderId: text,
  linkId: text,
  partnerId: text,
  environment: textOf<Environment>(),
  amountCents: bigint,
  commissionCents: bigint,
  currency: text,
  state: textOf<CommissionType>(),
};

/** Inserts an attributed sale. Inserts nothing if the order is already attributed. */
export const insertSale = defineStatement({
  params: { ...SALE, clickedAt: nullable(timestamptz), soldAt: timestamptz },
  text: `insert into referral_sales (order_id, link_id, partner_id, environment, amount_cents,
      commission_cents, currency, state, clicked_at, sold_at)
    values (:orderId, :linkId, :partnerId, :environment, :amountCents, :commissionCents, :currency,
      :state, :clickedAt, :soldAt)
    on conflict (order_id) do nothing`,
});

/** Moves the accrued commissions of these orders to `pending` and returns their sales. */
export const updatePending = defineStatement({
  params: { orderIds: arrayOf(text), now: timestamptz },
  row: SALE,
  text: `update referral_sales set state = 'pending', pending_at = :now
    where order_id = any(:orderIds) and state = 'accrued' returning ${COLUMNS}`,
});

/** Reverses a commission. Returns no row if the order has none or it is already reversed. */
export const updateReversed = defineStatement({
  params: { orderId: text, now: timestamptz },
  row: SALE,
  text: `update referral_sales set state = 'reversed', reversed_at = :now
    where order_id = :orderId and state <> 'reversed' returning ${COLUMNS}`,
});

/**
 * Inserts lines in order, each with the balance after it. Locks the balance rows in a fixed order, so that
 * concurrent writers cannot deadlock.
 */
export const insertLines = defineStatement({
  params: {
    ids: arrayOf(text),
    partners: arrayOf(text),
    environments: arrayOf(textOf<Environment>()),
    currencies: arrayOf(text),
    types: arrayOf(textOf<CommissionType>()),
    amounts: arrayOf(bigint),
    orders: arrayOf(nullable(text)),
    payouts: arrayOf(nullable(text)),
    now: timestamptz,
  },
  text: `with line as (
      select * from unnest(:ids::text[], :partners::text[], :environments::text[], :currencies::text[],
        :types::text[], :amounts::bigint[], :orders::text[], :payouts::text[]) with ordinality
        as l (id, partner_id, environment, currency, type, amount, order_id, payout_id, at)),
    total as (
      select partner_id, environment, currency, sum(amount)::bigint as amount from line
      group by partner_id, environment, currency),
    balance as (
      insert into referral_balances as b (partner_id, environment, currency, balance_cents)
      select partner_id, environment, currency, amount from total
      order by partner_id collate "C", environment collate "C", currency collate "C"
      on conflict (partner_id, environment, currency)
        do update set balance_cents = b.balance_cents + excluded.balance_cents
      returning b.partner_id, b.environment, b.currency, b.balance_cents)
    insert into referral_commissions (id, partner_id, environment, currency, type, amount_cents,
      balance_cents, order_id, payout_id, created_at)
    select l.id, l.partner_id, l.environment, l.currency, l.type, l.amount,
      b.balance_cents - t.amount
        + sum(l.amount) over (partition by l.partner_id, l.environment, l.currency order by l.at),
      l.order_id, l.payout_id, :now::timestamptz
    from line l
    join total t on (t.partner_id, t.environment, t.currency) = (l.partner_id, l.environment, l.currency)
    join balance b on (b.partner_id, b.environment, b.currency) = (l.partner_id, l.environment, l.currency)
    order by l.at`,
});

/** Matches commissions to pay or to give back, which are in no payout. A returned payout releases its commissions. */
const TO_PAY = `payout_id is null and (state = 'pending' or recovery_payout_id is not null)`;
/** Matches commissions that were paid out and reversed since, and not yet deducted from a payout. */
const TO_RECOVER = `(state = 'reversed' and paid_out_at is not null and recovery_payout_id is null)`;

/** Locks commissions to pay or give back by `until`, and those to recover, with negative amounts. */
export const selectPayableForUpdate = defineStatement({
  params: {
    partnerId: text,
    environment: textOf<Environment>(),
    currency: nullable(text),
    until: timestamptz,
  },
  row: { orderId: text, currency: text, amountCents: bigint },
  text: `select order_id as "orderId", currency,
      case when ${TO_RECOVER} then -commission_cents else commission_cents end as "amountCents"
    from referral_sales
    where partner_id = :partnerId and environment = :environment
      and (:currency::text is null or currency = :currency)
      and ((${TO_PAY} and pending_at <= :until) or ${TO_RECOVER})
    order by order_id for update`,
});

/** Assigns these commissions to a payout. */
export const updatePayout = defineStatement({
  params: { payoutId: text, orderIds: arrayOf(text) },
  text: `update referral_sales set
      payout_id = case when ${TO_PAY} then :payoutId else payout_id end,
      recovery_payout_id = case when ${TO_RECOVER} then :payoutId else recovery_payout_id end
    where order_id = any(:orderIds)`,
});

/** Selects the commission total of a payout. Returns no row if it has no commissions. */
export const selectPayoutContent = defineStatement({
  params: { payoutId: text },
  row: {
    partnerId: text,
    environment: textOf<Environment>(),
    currency: text,
    amountCents: numeric,
  },
  text: `select partner_id as "partnerId", environment, currency, sum(amount) as "amountCents" from (
      select partner_id, environment, currency, commission_cents as amount from referral_sales
      where payout_id = :payoutId
      union all
      select partner_id, environment, currency, -commission_cents from referral_sales
      where recovery_payout_id = :payoutId) c
    group by partner_id, environment, currency`,
});

/** Marks the commissions of a payout as paid out. Changes no row if they already are. */
export const updatePaidOut = defineStatement({
  params: { payoutId: text, now: timestamptz },
  text: `update referral_sales set paid_out_at = :now,
      state = case state when 'pending' then 'paid_out' else state end
    where payout_id = :payoutId and paid_out_at is null`,
});

/** Removes the commissions from a payout that was not paid. They are payable from now on. */
export const updateReleased = defineStatement({
  params: { payoutId: text, now: timestamptz },
  text: `update referral_sales set payout_id = nullif(payout_id, :payoutId),
      pending_at = case when payout_id = :payoutId then :now::timestamptz else pending_at end,
      recovery_payout_id = nullif(recovery_payout_id, :payoutId)
    where (payout_id = :payoutId or recovery_payout_id = :payoutId)
      and not exists (select 1 from referral_commissions where payout_id = :payoutId)`,
});

/**
 * Undoes {@link updatePaidOut} and removes the commissions from the payout. A commission that was reversed meanwhile
 * is no longer owed to us, since its payment never arrived. If a later payout deducted it, it must be given back.
 */
export const updateUnpaid = defineStatement({
  params: { payoutId: text, now: timestamptz },
  text: `update referral_sales set
      state = case when payout_id = :payoutId and state = 'paid_out' then 'pending' else state end,
      paid_out_at = case when payout_id = :payoutId then null else paid_out_at end,
      pending_at = case when payout_id = :payoutId then :now::timestamptz else pending_at end,
      payout_id = nullif(payout_id, :payoutId),
      recovery_payout_id = nullif(recovery_payout_id, :payoutId)
    where payout_id = :payoutId or recovery_payout_id = :payoutId`,
});

/** Inserts an attributed sale. Returns false if the order is already attributed. */
export async function writeSale(
  tx: Tx,
  sale: ReferredSale & { clickedAt: Date | null; soldAt: Date },
): Promise<boolean> {
  const { price, commission, ...rest } = sale;
  const inserted = await insertSale.run(tx, {
    ...rest,
    amountCents: price.amount,
    commissionCents: commission.amount,
    currency: price.currency,
  });
  return inserted === 1;
}

/** Moves the accrued commissions of these orders to `pending` and returns their sales. */
export async function moveToPending(
  tx: Tx,
  orderIds: readonly string[],
  now: Date,
): Promise<ReferredSale[]> {
  return (await updatePending.all(tx, { orderIds, now })).map(toSale);
}

/** Reverses a commission. Returns undefined if the order has none or it is already reversed. */
export async function moveToReversed(
  tx: Tx,
  orderId: string,
  now: Date,
): Promise<ReferredSale | undefined> {
  const row = await updateReversed.first(tx, { orderId, now });
  return row && toSale(row);
}

/** Inserts lines in order, each with the balance after it; see {@link insertLines}. */
export async function appendLines(
  tx: Tx,
  lines: readonly NewCommissionLine[],
  now: Date,
): Promise<void> {
  if (lines.length === 0) return;
  await insertLines.run(tx, {
    ids: lines.map(() => newId('commission', now)),
    partners: lines.map((line) => line.partnerId),
    environments: lines.map((line) => line.environment),
    currencies: lines.map((line) => line.amount.currency),
    types: lines.map((line) => line.type),
    amounts: lines.map((line) => line.amount.amount),
    orders: lines.map((line) => line.orderId),
    payouts: lines.map((line) => line.payoutId),
    now,
  });
}

/**
 * A commission that a payout can include: one to pay, one to deduct because it was paid and reversed, or one to give
 * back because it was deducted although its payment had not arrived.
 */
export interface PayableCommission {
  orderId: string;
  amount: Money;
}

/** Locks commissions to pay or give back by `until`, and those to recover, with negative amounts. */
export async function lockPayable(
  tx: Tx,
  { partnerId, environment }: AffiliateOwner,
  payable: { currency: string | null; until: Date },
): Promise<PayableCommission[]> {
  const rows = await selectPayableForUpdate.all(tx, { ...payable, partnerId, environment });
  return rows.map(({ orderId, currency, amountCents }) => ({
    orderId,
    amount: new Money(amountCents, currency),
  }));
}

/** Reads the commission total of a payout. Returns undefined if it has no commissions. */
export async function readPayoutContent(
  tx: Tx,
  payoutId: string,
): Promise<(AffiliateOwner & { amount: Money }) | undefined> {
  const row = await selectPayoutContent.first(tx, { payoutId });
  if (!row) return undefined;
  const { partnerId, environment, currency, amountCents } = row;
  return { partnerId, environment, amount: new Money(amountCents, currency) };
}

function toSale({
  amountCents,
  commissionCents,
  currency,
  ...rest
}: RowOf<typeof SALE>): ReferredSale {
  return {
    ...rest,
    price: new Money(amountCents, currency),
    commission: new Money(commissionCents, currency),
  };
}
