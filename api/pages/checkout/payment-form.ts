import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { Card, DeclineCode } from '../../../shared/money/payments/payment-provider.ts';
import { hasCheckDigit, hasExpired } from '../../../shared/money/payments/sandbox-cards.ts';
import { readCountry } from '../../../shared/platform/countries.ts';
import { withAsciiDomain } from '../../../shared/platform/email-address.ts';
import { type Attributes, html, type Markup } from '../../../shared/platform/html.ts';
import { formatMoney, type Money } from '../../../shared/platform/money.ts';
import { oneLineFaults } from '../../../shared/platform/one-line.ts';
import { COUNTRY_CHOICES, checkbox, type Field, inputField, selectField } from '../kit/form.ts';
import { descriptionList, notice } from '../kit/page-parts.ts';

/** What buyers typed about themselves; shown again with errors. */
export interface BuyerFields {
  email: string;
  name: string;
  country: string;
}

/** The fields of the page, in page order. */
type FieldName = keyof BuyerFields | 'number' | 'expiry' | 'cvc' | 'premium';
export type FieldErrors = Partial<Record<FieldName, string>>;

type Form = Readonly<Record<string, unknown>>;

const MAX_EMAIL = 254;
const MAX_NAME = 200;
const EMAIL = fullFormats.email as RegExp;

/** Reads the buyer's details and their errors, worded for the page. */
export function readBuyer(form: Form): { buyer: BuyerFields; errors: FieldErrors } {
  const buyer = {
    email: textOf(form.email),
    name: textOf(form.name),
    country: readCountry(textOf(form.country).toUpperCase()) ?? '',
  };
  const errors: FieldErrors = {};
  if (buyer.email === '') errors.email = 'Enter your email address.';
  else if (buyer.email.length > MAX_EMAIL || !EMAIL.test(buyer.email)) {
    const ascii = withAsciiDomain(buyer.email);
    errors.email = ascii
      ? `Enter it as ${ascii}.`
      : 'Enter an email address such as name@example.com.';
  }
  if (buyer.name === '') errors.name = 'Enter your full name.';
  else if (buyer.name.length > MAX_NAME) errors.name = `Use at most ${MAX_NAME} characters.`;
  else if (oneLineFaults('/name', buyer.name).length > 0) {
    errors.name = 'Use one line, without control characters.';
  }
  if (buyer.country === '') errors.country = 'Choose your country.';
  return { buyer, errors };
}

/** Reads the card and its errors. The card is only in memory, for one call. */
export function readCard(form: Form, now: Date): { card: Card; errors: FieldErrors } {
  const card: Card = {
    number: textOf(form.number).replace(/[\s-]/g, ''),
    ...(readExpiry(textOf(form.expiry)) ?? { expMonth: 0, expYear: 0 }),
    cvc: textOf(form.cvc),
  };
  const errors: FieldErrors = {};
  if (card.number === '') errors.number = 'Enter your card number.';
  else if (!hasCheckDigit(card.number)) {
    errors.number = 'This card number is incomplete or has a typo.';
  }
  if (card.expMonth === 0) errors.expiry = 'Enter the month and year on the card, such as 04/29.';
  else if (hasExpired(card, now)) errors.expiry = 'This card has expired. Use another one.';
  if (!/^\d{3,4}$/.test(card.cvc)) errors.cvc = 'Enter the 3 or 4 digits of the security code.';
  return { card, errors };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** Parses `4/29`, `04 / 2029` and the like. */
function readExpiry(text: string): Pick<Card, 'expMonth' | 'expYear'> | undefined {
  const [, month, year] = /^(\d{1,2})\s*[/.\- ]?\s*(\d{2}|\d{4})$/.exec(text) ?? [];
  const expMonth = Number(month);
  if (year === undefined || expMonth < 1 || expMonth > 12) return undefined;
  return { expMonth, expYear: Number(year.length === 2 ? `20${year}` : year) };
}

export interface PayForm {
  title: string;
  action: string;
  cancelAction: string;
  /** Hidden fields. */
  hidden: Readonly<Record<string, string>>;
  /** Whether the buyer enters an email address here. */
  asksEmail: boolean;
  price: Money;
  buyer: BuyerFields;
  errors: FieldErrors;
  /** A problem unrelated to a field: a declined card, a new price. */
  alert: { title: string; text: string } | null;
  /** Whether the buyer agreed to store the card; null if the page does not ask. */
  keepsCard: boolean | null;
  /** The yearly registry fee of a premium domain, and whether the buyer confirmed it; null for other domains. */
  premium: { fee: Money; isConfirmed: boolean } | null;
  cardForm: boolean;
  testCards: boolean;
  /** Where the buyer came from and can return to; null if unknown. */
  backTo: string | null;
}

const LABELS: Record<FieldName, string> = {
  email: 'Email address',
  name: 'Full name',
  country: 'Country',
  number: 'Card number',
  expiry: 'Expiry date',
  cvc: 'Security code',
  premium: 'Premium domain',
};

/** Returns the form: the buyer, the card, and one button with the amount on it. */
export function payView(form: PayForm): Markup {
  const amount = formatMoney(form.price);
  const hidden = hiddenFields(form.hidden);
  return html`<h1>${form.title}</h1>
${problems(form)}
<form method="post" action="${form.action}" novalidate data-pay>
${hidden}
<fieldset>
<legend>Your details</legend>
${form.asksEmail && textInput(form, 'email', EMAIL_INPUT, 'For questions about your order and the transfer.')}
${textInput(form, 'name', { autocomplete: 'name', maxlength: MAX_NAME, dir: 'auto' })}
${selectField({
  ...common(form, 'country'),
  attributes: { autocomplete: 'country' },
  choices: COUNTRY_CHOICES,
  chosen: form.buyer.country,
  none: 'Choose a country',
})}
</fieldset>
${form.cardForm && cardFields(form)}
${form.keepsCard !== null && KEEP_CARD(form.keepsCard)}
${form.premium && premiumBox(form.premium, form.errors.premium)}
<button type="submit" class="primary" data-busy="Paying…">${form.cardForm ? `Pay ${amount}` : `Continue to pay ${amount}`}</button>
${!form.cardForm && html`<p class="hint center">You’ll enter your card details on our payment provider’s secure page.</p>`}
</form>
<form method="post" action="${form.cancelAction}" class="after">
${hidden}
<button type="submit" class="link">${form.backTo === null ? 'Cancel' : `Cancel and return to ${form.backTo}`}</button>
</form>`;
}

function hiddenFields(fields: PayForm['hidden']): Markup {
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`${inputs}`;
}

/** Lists the problems at the top of the page, announced to screen readers, with a link to each field. */
function problems({ alert, errors }: PayForm): Markup | false {
  const faults = Object.entries(errors) as [FieldName, string][];
  if (!alert && faults.length === 0) return false;
  const wrong = faults.length === 1 ? 'Please correct one field' : 'Please correct these fields';
  return notice({
    tone: 'bad',
    id: 'problems',
    title: alert?.title ?? wrong,
    focus: true,
    content: html`${alert && html`<p>${alert.text}</p>`}${
      faults.length > 0 &&
      html`<ul>${faults.map(([name, text]) => html`<li><a href="#${name}">${text}</a></li>`)}</ul>`
    }`,
  });
}

const EMAIL_INPUT = {
  type: 'email',
  autocomplete: 'email',
  inputmode: 'email',
  autocapitalize: 'off',
  spellcheck: 'false',
  maxlength: MAX_EMAIL,
};

function cardFields(form: PayForm): Markup {
  const digits = { inputmode: 'numeric', spellcheck: 'false' };
  return html`<fieldset>
<legend>Card</legend>
${textInput(form, 'number', {
  ...digits,
  autocomplete: 'cc-number',
  maxlength: 23,
  placeholder: '1234 1234 1234 1234',
  'data-format': 'number',
})}
<div class="pair">
${textInput(form, 'expiry', {
  ...digits,
  autocomplete: 'cc-exp',
  maxlength: 9,
  placeholder: 'MM/YY',
  'data-format': 'expiry',
})}
${textInput(form, 'cvc', { ...digits, autocomplete: 'cc-csc', maxlength: 4, placeholder: 'CVC' })}
</div>
${form.testCards && TEST_CARDS}
</fieldset>`;
}

/** Shows typed values again, except the card. */
function textInput(form: PayForm, name: FieldName, attributes: Attributes, hint?: string): Markup {
  const value = name === 'email' || name === 'name' ? form.buyer[name] : undefined;
  return inputField({ ...common(form, name), attributes, hint, value });
}

function common(form: PayForm, name: FieldName): Field {
  return { name, label: LABELS[name], required: true, error: form.errors[name] };
}

/** Returns whether the buyer of a premium domain confirmed this fee, which may have changed since it was shown. */
export function confirmsFee(ticked: unknown, fee: Money): boolean {
  return textOf(ticked) === feeValue(fee);
}

/** Returns an error if the buyer of a premium domain has not confirmed its yearly fee. */
export function premiumFaults(form: Form, fee: Money | null): FieldErrors {
  if (!fee || confirmsFee(form.premium, fee)) return {};
  return { premium: `Confirm that the registry asks ${formatMoney(fee)} a year.` };
}

const feeValue = ({ amount, currency }: Money) => `${amount} ${currency}`;

function premiumBox(
  { fee, isConfirmed }: NonNullable<PayForm['premium']>,
  error: string | undefined,
): Markup {
  return html`<p>${checkbox({
    name: 'premium',
    label: `This is a premium domain. I know that its registry asks ${formatMoney(fee)} a year to renew it.`,
    value: feeValue(fee),
    checked: isConfirmed,
    required: true,
    describedBy: error && 'premium-error',
  })}</p>${error && html`<p class="error" id="premium-error">${error}</p>`}`;
}

const KEEP_CARD = (checked: boolean) =>
  html`<p>${checkbox({
    name: 'keep_card',
    label: 'Keep this card for automatic renewals. You can remove it at any time.',
    value: 'yes',
    checked,
  })}</p>`;

const TEST_CARDS = html`<details class="tests">
<summary>Test cards</summary>
<p>Use any future date and any security code.</p>
${descriptionList([
  ['4242 4242 4242 4242', 'Succeeds'],
  ['4000 0025 0000 3155', 'Asks for confirmation'],
  ['4000 0000 0000 0002', 'Declined'],
  ['4000 0000 0000 9995', 'Insufficient funds'],
])}
</details>`;

/** What buyers are told about a failed payment: what went wrong, and what to do. */
const TEXTS: Record<DeclineCode, { title: string; text: string }> = {
  card_declined: {
    title: 'Your card was declined',
    text: 'You were not charged. Try again, use another card, or ask your bank.',
  },
  insufficient_funds: {
    title: 'Your card was declined',
    text: 'Your card has insufficient funds. You were not charged. Use another card.',
  },
  expired_card: {
    title: 'Your card has expired',
    text: 'You were not charged. Use another card.',
  },
  incorrect_cvc: {
    title: 'The security code is incorrect',
    text: 'You were not charged. Check the 3 or 4 digits on your card and try again.',
  },
  invalid_card: {
    title: 'This card can’t be used',
    text: 'You were not charged. Check its details or use another card.',
  },
  authentication_failed: {
    title: 'The payment was not confirmed',
    text: 'You were not charged. Try again, or use another card.',
  },
  processing_error: {
    title: 'The payment did not go through',
    text: 'You were not charged. Try again in a moment.',
  },
  cancelled: {
    title: 'The payment was canceled',
    text: 'You were not charged. You can try again.',
  },
};

/** Returns the text for a decline code; null if no payment has failed. */
export function declineText(code: string | null): { title: string; text: string } | null {
  if (code === null) return null;
  return TEXTS[code as DeclineCode] ?? TEXTS.processing_error;
}
