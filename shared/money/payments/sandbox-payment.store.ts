import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  bigint,
  jsonb,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { DeclineCode, KeptCard } from './payment-provider.ts';

const SANDBOX_PAYMENT = {
  reference: text,
  status: textOf<'succeeded' | 'failed' | 'requires_confirmation'>(),
  code: nullable(textOf<DeclineCode>()),
  expiresAt: timestamptz,
  keptCard: nullable(jsonb<KeptCard>()),
};
/** A payment at the sandbox provider. */
export type SandboxPayment = RowOf<typeof SANDBOX_PAYMENT>;

/** Inserts a payment; does nothing if it exists. */
export const insertSandboxPayment = defineStatement({
  params: {
    ...SANDBOX_PAYMENT,
    paymentId: text,
    amountCents: bigint,
    currency: text,
    now: timestamptz,
  },
  text: `insert into sandbox_payments (reference, payment_id, status, decline_code, amount_cents, currency,
      created_at, expires_at, kept_card)
    values (:reference, :paymentId, :status, :code, :amountCents, :currency, :now, :expiresAt, :keptCard)
    on conflict (payment_id) do nothing`,
});

/** Selects a payment by its reference or our payment ID. */
export const selectSandboxPayment = defineStatement({
  params: { referenceOrId: text },
  row: SANDBOX_PAYMENT,
  text: `select reference, status, decline_code as code, expires_at as "expiresAt",
      kept_card as "keptCard" from sandbox_payments
    where reference = :referenceOrId or payment_id = :referenceOrId`,
});

/** Ends the confirmation step; leaves an ended payment unchanged. */
export const updateConfirmed = defineStatement({
  params: {
    reference: text,
    status: textOf<'succeeded' | 'failed'>(),
    code: nullable(textOf<DeclineCode>()),
  },
  text: `update sandbox_payments set status = :status, decline_code = :code
    where reference = :reference and status = 'requires_confirmation'`,
});

/** Refunds a payment, once; changes no row if there is nothing to refund. */
export const updateSandboxRefunded = defineStatement({
  params: { reference: text, now: timestamptz },
  text: `update sandbox_payments set refunded_at = coalesce(refunded_at, :now)
    where reference = :reference and status = 'succeeded'`,
});
