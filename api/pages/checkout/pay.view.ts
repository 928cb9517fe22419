import { formatMoney, type Money } from '../../../shared/platform/money.ts';
import { html, type Markup } from '../html.ts';
import { COUNTRIES } from './countries.ts';
import type { BuyerFields, FieldErrors, FieldName } from './payment-form.ts';

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
