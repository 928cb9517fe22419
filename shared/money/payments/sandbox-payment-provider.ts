import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { PaymentProvider, PaymentState } from './payment-provider.ts';
import { keptTestCard, outcomeOfCard, outcomeOfKept } from './sandbox-cards.ts';
import {
  insertSandboxPayment,
  type SandboxPayment,
  selectSandboxPayment,
  updateConfirmed,
  updateSandboxRefunded,
} from './sandbox-payment.store.ts';

/**
 * Creates a provider in our own database that accepts the test cards. It stores the outcome of a payment,
 * never the card.
 */
export function createSandboxProvider({
  db: { knex },
  clock,
}: {
  db: Database;
  clock: Clock;
}): PaymentProvider {
  const read = async (referenceOrId: string): Promise<PaymentState> => {
    let payment = await selectSandboxPayment.first(knex, { referenceOrId });
    if (!payment) return { status: 'failed', reference: null, code: 'processing_error' };
    if (payment.status === 'requires_confirmation' && payment.expiresAt <= clock.now()) {
      const { reference } = payment;
      await updateConfirmed.run(knex, { reference, status: 'failed', code: 'cancelled' });
      payment = (await selectSandboxPayment.first(knex, { referenceOrId: reference })) ?? payment;
    }
    return stateOf(payment);
  };

  return {
    name: 'sandbox',
    collects: 'card_form',
    carries: () => true,
    keepsCards: true,
    async begin({ paymentId, amount, card, keepsCard = false, expiresAt }) {
      const now = clock.now();
      const outcome = outcomeOfCard(card, now);
      const goesOn = outcome === 'succeeded' || outcome === 'requires_confirmation';
      await insertSandboxPayment.run(knex, {
        reference: `sandbox_${paymentId}`,
        paymentId,
        status: goesOn ? outcome : 'failed',
        code: goesOn ? null : outcome,
        amountCents: amount.amount,
        currency: amount.currency,
        now,
        expiresAt,
        keptCard: keepsCard && card && goesOn ? keptTestCard(card) : null,
      });
      return read(paymentId);
    },
    async charge({ paymentId, amount, card }) {
      const now = clock.now();
      const outcome = outcomeOfKept(card, now);
      await insertSandboxPayment.run(knex, {
        reference: `sandbox_${paymentId}`,
        paymentId,
        status: outcome === 'succeeded' ? outcome : 'failed',
        code: outcome === 'succeeded' ? null : outcome,
        amountCents: amount.amount,
        currency: amount.currency,
        now,
        expiresAt: now,
        keptCard: null,
      });
      return read(paymentId);
    },
    // There is nothing to delete besides the token.
    forgetCard: async () => {},
    async confirm(reference, approved) {
      // A late confirmation does not count.
      await read(reference);
      await updateConfirmed.run(
        knex,
        approved
          ? { reference, status: 'succeeded', code: null }
          : { reference, status: 'failed', code: 'authentication_failed' },
      );
      return read(reference);
    },
    read,
    async payOut({ payoutId }) {
      return { status: 'sent', reference: `sandbox_${payoutId}` };
    },
    async canBePaid(account) {
      return account.startsWith('acct_');
    },
    async refund({ reference }) {
      const refunded =
        (await updateSandboxRefunded.run(knex, { reference, now: clock.now() })) === 1;
      return refunded
        ? { status: 'succeeded', reference: `${reference}_refund` }
        : { status: 'failed', reference: null };
    },
    // The sandbox sends no notifications, so any that arrives is forged.
    readNotification: async () => null,
  };
}

function stateOf({ reference, status, code, keptCard }: SandboxPayment): PaymentState {
  switch (status) {
    case 'succeeded':
      return { status, reference, ...(keptCard && { keptCard }) };
    case 'failed':
      return { status, reference, code: code ?? 'processing_error' };
    case 'requires_confirmation':
      return { status, reference, url: null };
  }
}
