import type { Card, DeclineCode, KeptCard } from './payment-provider.ts';

/** The sandbox outcome of a card: a decline code, or one of two outcomes that continue. */
export type CardOutcome = 'succeeded' | 'requires_confirmation' | DeclineCode;

/** The test cards (docs/sandbox.md). They are widely known and belong to nobody. */
const TEST_CARDS: Readonly<Record<string, CardOutcome>> = {
  '4242424242424242': 'succeeded',
  '5555555555554444': 'succeeded',
  '4000002500003155': 'requires_confirmation',
  '4000000000000002': 'card_declined',
  '4000000000009995': 'insufficient_funds',
  '4000000000000069': 'expired_card',
  '4000000000000127': 'incorrect_cvc',
  '4000000000000119': 'processing_error',
  '4000000000000341': 'succeeded',
};

/** Returns a card's outcome at `now`. A number that is not a test card, real ones included, is invalid. */
export function outcomeOfCard(card: Card | null, now: Date): CardOutcome {
  const number = card?.number.replace(/[ -]/g, '') ?? '';
  if (!card || !hasCheckDigit(number)) return 'invalid_card';
  if (!Number.isInteger(card.expMonth) || card.expMonth < 1 || card.expMonth > 12) {
    return 'invalid_card';
  }
  if (hasExpired(card, now)) return 'expired_card';
  if (!/^\d{3,4}$/.test(card.cvc)) return 'incorrect_cvc';
  return TEST_CARDS[number] ?? 'invalid_card';
}

/** Returns whether a number of 12 to 19 digits has a valid Luhn check digit (ISO/IEC 7812-1, annex B). */
export function hasCheckDigit(number: string): boolean {
  if (!/^\d{12,19}$/.test(number)) return false;
  const sum = [...number].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** Returns whether a card has expired. It is valid until the end of its month; years may have two digits. */
export function hasExpired(
  { expMonth, expYear }: Pick<Card, 'expMonth' | 'expYear'>,
  now: Date,
): boolean {
  const year = expYear < 100 ? 2_000 + expYear : expYear;
  return !(now.getTime() < Date.UTC(year, expMonth, 1));
}

/** The outcomes of charging stored test cards, other than success. */
const KEPT_OUTCOMES: Readonly<Record<string, DeclineCode>> = {
  '4000002500003155': 'authentication_failed',
  '4000000000000341': 'card_declined',
};

const TOKEN = 'sandbox_card_';

/** Returns a test card as stored: a token that encodes the outcome of its charges, never its number. */
export function keptTestCard({ number: typed, expMonth, expYear }: Card): KeptCard {
  const number = typed.replace(/[ -]/g, '');
  return {
    token: `${TOKEN}${KEPT_OUTCOMES[number] ?? 'succeeded'}`,
    customer: null,
    brand: number.startsWith('5') ? 'mastercard' : 'visa',
    last4: number.slice(-4),
    expMonth,
    expYear: expYear < 100 ? 2_000 + expYear : expYear,
  };
}

/** Returns the outcome of charging a stored test card. */
export function outcomeOfKept(card: KeptCard, now: Date): 'succeeded' | DeclineCode {
  if (hasExpired(card, now)) return 'expired_card';
  const outcome = card.token.startsWith(TOKEN) ? card.token.slice(TOKEN.length) : 'invalid_card';
  return outcome as 'succeeded' | DeclineCode;
}
