import type { DeclineCode } from '../../../shared/payments/payment-provider.ts';

/** What a buyer is told of a payment that did not go through: what was wrong, and what to do. */
const TEXTS: Record<DeclineCode, { title: string; text: string }> = {
  card_declined: {
    title: 'Your card was declined',
    text: 'You were not charged. Try again, use another card, or ask your bank.',
  },
  insufficient_funds: {
    title: 'Your card was declined',
    text: 'There is not enough money on it. You were not charged. Please use another card.',
  },
  expired_card: {
    title: 'Your card has expired',
    text: 'You were not charged. Please use another card.',
  },
  incorrect_cvc: {
    title: 'The security code is not right',
    text: 'You were not charged. Check the 3 or 4 digits on your card and try again.',
  },
  invalid_card: {
    title: 'This card cannot be used',
    text: 'You were not charged. Check its details or use another card.',
  },
  authentication_failed: {
    title: 'The payment was not confirmed',
    text: 'You were not charged. Try again, or use another card.',
  },
  processing_error: {
    title: 'The payment did not go through',
    text: 'You were not charged. Please try again in a moment.',
  },
  cancelled: {
    title: 'The payment was cancelled',
    text: 'You were not charged. You can try again.',
  },
};

/** Null when no payment has failed. */
export function declineText(code: string | null): { title: string; text: string } | null {
  if (code === null) return null;
  return TEXTS[code as DeclineCode] ?? TEXTS.processing_error;
}
