import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { outcomeOfCard } from '../../../shared/money/payments/sandbox-cards.ts';
import { CARDS, card } from '../../support/payments.ts';

const NOW = new Date('2026-11-20T09:30:00.000Z');

describe('a sandbox test card', () => {
  it.each([
    [CARDS.succeeds, 'succeeded'],
    ['4242 4242 4242 4242', 'succeeded'],
    ['4242-4242-4242-4242', 'succeeded'],
    ['5555555555554444', 'succeeded'],
    [CARDS.confirms, 'requires_confirmation'],
    [CARDS.declined, 'card_declined'],
    [CARDS.insufficient, 'insufficient_funds'],
    [CARDS.expired, 'expired_card'],
    [CARDS.wrongCvc, 'incorrect_cvc'],
    [CARDS.faulty, 'processing_error'],
  ])('%s results in %s', (number, outcome) => {
    expect(outcomeOfCard(card(number), NOW)).toBe(outcome);
  });

  it.each([
    ['is valid in its last month', { expMonth: 11, expYear: 2_026 }, 'succeeded'],
    ['is valid with a two-digit year', { expMonth: 1, expYear: 27 }, 'succeeded'],
    ['expires after its month', { expMonth: 10, expYear: 2_026 }, 'expired_card'],
    ['is expired with an invalid year', { expMonth: 10, expYear: Number.NaN }, 'expired_card'],
    ['is invalid with month 13', { expMonth: 13 }, 'invalid_card'],
    ['is invalid with month 0', { expMonth: 0 }, 'invalid_card'],
    ['needs a CVC with at least three digits', { cvc: '12' }, 'incorrect_cvc'],
    ['needs a numeric CVC', { cvc: '12a' }, 'incorrect_cvc'],
  ])('%s', (_what, more, outcome) => {
    expect(outcomeOfCard(card(CARDS.succeeds, more), NOW)).toBe(outcome);
  });
});

describe('any other card in the sandbox', () => {
  it.each([
    ['no card', null],
    ['an empty number', card('')],
    ['a wrong check digit', card('4242424242424241')],
    ['letters', card('4242x24242424242')],
    ['a valid number that is no test card', card('4111111111111111')],
    ['full-width digits', card('４２４２４２４２４２４２４２４２')],
  ])('is refused: %s', (_what, given) => {
    expect(outcomeOfCard(given, NOW)).toBe('invalid_card');
  });

  it('is refused if a single digit of a test card is wrong', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 15 }), fc.integer({ min: 1, max: 9 }), (at, by) => {
        const digits = [...CARDS.succeeds].map(Number);
        digits[at] = ((digits[at] ?? 0) + by) % 10;
        expect(outcomeOfCard(card(digits.join('')), NOW)).toBe('invalid_card');
      }),
    );
  });
});
