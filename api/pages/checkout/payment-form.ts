import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { Card } from '../../../shared/payments/payment-provider.ts';
import { hasCheckDigit, hasExpired } from '../../../shared/payments/sandbox-cards.ts';
import { isCountry } from './countries.ts';

/** What a buyer typed about themselves; shown again when something is wrong. */
export interface BuyerFields {
  email: string;
  name: string;
  country: string;
}

/** The fields of the page, in its order. */
export type FieldName = keyof BuyerFields | 'number' | 'expiry' | 'cvc';
export type FieldErrors = Partial<Record<FieldName, string>>;

type Form = Readonly<Record<string, unknown>>;

const MAX_EMAIL = 254;
const MAX_NAME = 200;
const EMAIL = fullFormats.email as RegExp;

/** The buyer's details and what is wrong with them, in the words of the page. */
export function readBuyer(form: Form): { buyer: BuyerFields; errors: FieldErrors } {
  const buyer = {
    email: textOf(form.email),
    name: textOf(form.name),
    country: textOf(form.country).toUpperCase(),
  };
  const errors: FieldErrors = {};
  if (buyer.email === '') errors.email = 'Enter your e-mail address.';
  else if (buyer.email.length > MAX_EMAIL || !EMAIL.test(buyer.email)) {
    errors.email = 'Enter an e-mail address such as name@example.com.';
  }
  if (buyer.name === '') errors.name = 'Enter your full name.';
  else if (buyer.name.length > MAX_NAME) errors.name = `Use at most ${MAX_NAME} characters.`;
  if (!isCountry(buyer.country)) errors.country = 'Choose your country.';
  return { buyer, errors };
}

/** The card and what is wrong with it. The card lives in memory only, for one call. */
export function readCard(form: Form, now: Date): { card: Card; errors: FieldErrors } {
  const card: Card = {
    number: textOf(form.number).replace(/[\s-]/g, ''),
    ...(readExpiry(textOf(form.expiry)) ?? { expMonth: 0, expYear: 0 }),
    cvc: textOf(form.cvc),
  };
  const errors: FieldErrors = {};
  if (card.number === '') errors.number = 'Enter your card number.';
  else if (!hasCheckDigit(card.number)) {
    errors.number = 'This card number is incomplete or has a typing error.';
  }
  if (card.expMonth === 0) errors.expiry = 'Enter the month and year on the card, such as 04/29.';
  else if (hasExpired(card, now)) errors.expiry = 'This card has expired. Use another one.';
  if (!/^\d{3,4}$/.test(card.cvc)) errors.cvc = 'Enter the 3 or 4 digits of the security code.';
  return { card, errors };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** `4/29`, `04 / 2029` and the like. */
function readExpiry(text: string): Pick<Card, 'expMonth' | 'expYear'> | undefined {
  const [, month, year] = /^(\d{1,2})\s*[/.\- ]?\s*(\d{2}|\d{4})$/.exec(text) ?? [];
  const expMonth = Number(month);
  if (year === undefined || expMonth < 1 || expMonth > 12) return undefined;
  return { expMonth, expYear: Number(year.length === 2 ? `20${year}` : year) };
}
