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
/** A payment as the sandbox's provider knows it. */
export type SandboxPayment = RowOf<typeof SANDBOX_PAYMENT>;

/** Nothing happens when the payment is known. */
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

/** By its reference or by our payment id. */
export const selectSandboxPayment = defineStatement({
  params: { referenceOrId: text },
  row: SANDBOX_PAYMENT,
  text: `select reference, status, decline_code as code, expires_at as "expiresAt",
      kept_card as "keptCard" from sandbox_payments
    where reference = :referenceOrId or payment_id = :referenceOrId`,
});

/** Ends the confirmation step; a payment that has ended stays as it is. */
export const updateConfirmed = defineStatement({
  params: {
    reference: text,
    status: textOf<'succeeded' | 'failed'>(),
    code: nullable(textOf<DeclineCode>()),
  },
  text: `update sandbox_payments set status = :status, decline_code = :code
    where reference = :reference and status = 'requires_confirmation'`,
});

/** Gives the money back, once; no row changes when there is none to give back. */
export const updateSandboxRefunded = defineStatement({
  params: { reference: text, now: timestamptz },
  text: `update sandbox_payments set refunded_at = coalesce(refunded_at, :now)
    where reference = :reference and status = 'succeeded'`,
});
