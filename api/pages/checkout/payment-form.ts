import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { Card, DeclineCode } from '../../../shared/money/payments/payment-provider.ts';
import { hasCheckDigit, hasExpired } from '../../../shared/money/payments/sandbox-cards.ts';
import { formatMoney, type Money } from '../../../shared/platform/money.ts';
import { html, type Markup } from '../kit/html.ts';

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

export interface PayForm {
  action: string;
  cancelAction: string;
  formToken: string;
  price: Money;
  buyer: BuyerFields;
  errors: FieldErrors;
  /** Something other than a field stands in the way: a declined card, a new price. */
  alert: { title: string; text: string } | null;
  cardForm: boolean;
  testCards: boolean;
  /** Where the buyer came from and can go back to; null without an address. */
  backTo: string | null;
}

const LABELS: Record<FieldName, string> = {
  email: 'E-mail address',
  name: 'Full name',
  country: 'Country',
  number: 'Card number',
  expiry: 'Expiry date',
  cvc: 'Security code',
};

/** The form: who buys, which card, and one button with the amount on it. */
export function payView(form: PayForm): Markup {
  const amount = formatMoney(form.price);
  return html`<h1>Pay for your domain</h1>
${problems(form)}
<form method="post" action="${form.action}" novalidate data-pay>
<input type="hidden" name="form" value="${form.formToken}">
<fieldset>
<legend>Your details</legend>
${field(form, 'email', html`type="email" autocomplete="email" inputmode="email" autocapitalize="off" spellcheck="false" maxlength="254" value="${form.buyer.email}"`, 'For questions about your order and the transfer.')}
${field(form, 'name', html`type="text" autocomplete="name" maxlength="200" value="${form.buyer.name}"`)}
${countryField(form)}
</fieldset>
${
  form.cardForm &&
  html`<fieldset>
<legend>Card</legend>
${field(form, 'number', html`type="text" autocomplete="cc-number" inputmode="numeric" spellcheck="false" maxlength="23" placeholder="1234 1234 1234 1234" data-format="number"`)}
<div class="pair">
${field(form, 'expiry', html`type="text" autocomplete="cc-exp" inputmode="numeric" spellcheck="false" maxlength="9" placeholder="MM/YY" data-format="expiry"`)}
${field(form, 'cvc', html`type="text" autocomplete="cc-csc" inputmode="numeric" spellcheck="false" maxlength="4" placeholder="CVC"`)}
</div>
${form.testCards && TEST_CARDS}
</fieldset>`
}
<button type="submit" class="primary" data-busy="Paying…">${form.cardForm ? `Pay ${amount}` : `Continue to pay ${amount}`}</button>
${!form.cardForm && html`<p class="hint center">You enter your card on the secure page of our payment provider.</p>`}
</form>
<form method="post" action="${form.cancelAction}" class="quiet">
<input type="hidden" name="form" value="${form.formToken}">
<button type="submit" class="link">${form.backTo === null ? 'Cancel' : `Cancel and return to ${form.backTo}`}</button>
</form>`;
}

/** What stands in the way, first on the page and read out, with a way to each field. */
function problems({ alert, errors }: PayForm): Markup | false {
  const faults = Object.entries(errors) as [FieldName, string][];
  if (!alert && faults.length === 0) return false;
  const title = alert?.title ?? 'Please check your entries';
  return html`<div class="alert" role="alert" tabindex="-1" autofocus id="problems">
<h2>${title}</h2>
${alert && html`<p>${alert.text}</p>`}
${faults.length > 0 && html`<ul>${faults.map(([name, text]) => html`<li><a href="#${name}">${text}</a></li>`)}</ul>`}
</div>`;
}

function field(form: PayForm, name: FieldName, attributes: Markup, hint?: string): Markup {
  return html`<div class="field">
<label for="${name}">${LABELS[name]}</label>
<input id="${name}" name="${name}" required ${attributes}${described(form.errors[name], name, hint)}>
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${errorOf(form, name)}
</div>`;
}

function countryField(form: PayForm): Markup {
  const { country } = form.buyer;
  return html`<div class="field">
<label for="country">${LABELS.country}</label>
<select id="country" name="country" autocomplete="country" required${described(form.errors.country, 'country')}>
<option value="">Choose a country</option>
${COUNTRIES.map(({ code, name }) => html`<option value="${code}"${code === country && html` selected`}>${name}</option>`)}
</select>
${errorOf(form, 'country')}
</div>`;
}

function described(error: string | undefined, name: FieldName, hint?: string): Markup | false {
  const ids = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ');
  return ids !== '' && html` aria-describedby="${ids}"${error && html` aria-invalid="true"`}`;
}

function errorOf(form: PayForm, name: FieldName): Markup | undefined | '' {
  const text = form.errors[name];
  return text && html`<p class="error" id="${name}-error">${text}</p>`;
}

const TEST_CARDS = html`<details class="tests">
<summary>Test cards</summary>
<p>Any date in the future, any security code.</p>
<dl>
<div class="case"><dt>4242 4242 4242 4242</dt><dd>pays</dd></div>
<div class="case"><dt>4000 0025 0000 3155</dt><dd>asks for a confirmation</dd></div>
<div class="case"><dt>4000 0000 0000 0002</dt><dd>is declined</dd></div>
<div class="case"><dt>4000 0000 0000 9995</dt><dd>has insufficient funds</dd></div>
</dl>
</details>`;

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

/** ISO 3166-1 alpha-2, officially assigned. */
const CODES =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'.split(
    ' ',
  );

const names = new Intl.DisplayNames('en', { type: 'region' });

/** Every country with its English name, by name. */
export const COUNTRIES: readonly { code: string; name: string }[] = CODES.map((code) => ({
  code,
  name: names.of(code) ?? code,
})).toSorted((one, other) => one.name.localeCompare(other.name, 'en'));

export function isCountry(code: string): boolean {
  return CODES.includes(code);
}
