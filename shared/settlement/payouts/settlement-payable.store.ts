import type { Environment } from '../../platform/config/config.ts';
import type { Tx } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  jsonb,
  nullable,
  numeric,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { Money } from '../../platform/money.ts';
import type { PayoutOwner, PayoutSource } from './payout.ts';

const OWNER = { partnerId: text, environment: textOf<Environment>() };

/**
 * Selects positive balances that are in no payout yet, by source and currency; locks their rows until the transaction
 * ends. With `releasedBy`, only balances with a payout that failed until then.
 */
export const selectOpenBalancesForUpdate = defineStatement({
  params: { ...OWNER, currency: nullable(text), releasedBy: nullable(timestamptz) },
  row: {
    source: textOf<PayoutSource>(),
    currency: text,
    amountCents: numeric,
    settlementIds: arrayOf(text),
  },
  text: `with open as (
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
});

/** Assigns the rows of an open balance to a payout. */
export const updateAssigned = defineStatement({
  params: { payoutId: text, settlementIds: arrayOf(text), source: textOf<PayoutSource>() },
  text: `update settlement_payables set payout_id = :payoutId
    where settlement_id = any(:settlementIds) and source = :source`,
});

/** Releases the rows of a payout for the next one. */
export const updateReleased = defineStatement({
  params: { payoutId: text, now: timestamptz },
  text: `update settlement_payables set payout_id = null, released_at = :now
    where payout_id = :payoutId`,
});

/** Inserts the commissions that a statement adds to our debt. */
export const insertPayables = defineStatement({
  params: {
    settlementId: text,
    ...OWNER,
    amounts: jsonb<readonly { source: PayoutSource; currency: string; amount_cents: number }[]>(),
  },
  text: `insert into settlement_payables (settlement_id, source, partner_id, environment, currency,
      amount_cents)
    select :settlementId, r.source, :partnerId, :environment, r.currency, r.amount_cents
    from jsonb_to_recordset(:amounts::jsonb) as r(source text, currency text, amount_cents bigint)`,
});

/** The open balance of one source and currency. */
export interface OpenBalance {
  source: PayoutSource;
  amount: Money;
  settlementIds: string[];
}

/** Returns and locks positive balances that are in no payout yet, see {@link selectOpenBalancesForUpdate}. */
export async function lockOpenBalances(
  tx: Tx,
  { partnerId, environment }: PayoutOwner,
  scope: { currency: string | null; releasedBy: Date | null },
): Promise<OpenBalance[]> {
  const rows = await selectOpenBalancesForUpdate.all(tx, { ...scope, partnerId, environment });
  return rows.map(({ source, currency, amountCents, settlementIds }) => ({
    source,
    amount: new Money(amountCents, currency),
    settlementIds,
  }));
}

/** Records the commissions that a statement adds to our debt, by source. */
export async function writePayables(
  tx: Tx,
  { id, partnerId, environment }: PayoutOwner & { id: string },
  amounts: readonly { source: PayoutSource; amount: Money }[],
): Promise<void> {
  await insertPayables.run(tx, {
    settlementId: id,
    partnerId,
    environment,
    amounts: amounts.map(({ source, amount }) => ({
      source,
      currency: amount.currency,
      amount_cents: amount.amount,
    })),
  });
}
