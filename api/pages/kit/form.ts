import type { TObject } from 'typebox';
import { COUNTRY_CODES } from '../../../shared/platform/countries.ts';
import { currencyFormat } from '../../../shared/platform/currencies.ts';
import { invalid } from '../../../shared/platform/errors.ts';
import { type Attributes, attributes, html, type Markup } from '../../../shared/platform/html.ts';
import { type Cents, parseDecimalAmount } from '../../../shared/platform/money.ts';
import { humanize } from './format.ts';

/** One form field: its label, a hint, and its error. */
export interface Field {
  /** The field's name, and its id unless `id` is set. */
  name?: string;
  id?: string;
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  /** The id of a message elsewhere on the page about this field. */
  describedBy?: string | false | undefined;
  /** Marks the field as invalid; a field with an `error` always is. */
  invalid?: boolean | undefined;
  required?: boolean;
  /** Marks the label as optional. */
  optional?: boolean;
  value?: unknown;
  /** More attributes of the control. */
  attributes?: Attributes;
}

/** Returns a field; `control` renders its control from the attributes. */
export function field(options: Field, control: (given: Markup) => Markup): Markup {
  const { label, hint, error, optional } = options;
  const id = options.id ?? options.name ?? '';
  const given = html`${attributes({ id, name: options.name, ...options.attributes, required: options.required })}${
    options.value !== undefined && attributes({ value: String(options.value ?? '') })
  }${descriptionOf(id, options)}`;
  return html`<div class="field">
<label for="${id}">${label}${optional && html` <span class="hint">(optional)</span>`}</label>
${control(given)}${hint && html`\n<p class="hint" id="${id}-hint">${hint}</p>`}${
  error && html`\n<p class="error" id="${id}-error">${error}</p>`
}
</div>`;
}

function descriptionOf(id: string, { hint, error, describedBy, invalid }: Field): Markup {
  const ids = [hint && `${id}-hint`, error && `${id}-error`, describedBy].filter(Boolean);
  return attributes({
    'aria-invalid': (error || invalid) && 'true',
    'aria-describedby': ids.length > 0 && ids.join(' '),
  });
}

/**
 * Returns a button for an irreversible action. It opens a question, and only the button there submits; `about` names
 * the subject for screen readers if there are several such buttons.
 */
export function confirmButton(button: {
  action: string;
  text: string;
  /** Asks the user to confirm, and says what will happen. */
  question: string;
  about?: string | undefined;
  fields?: Readonly<Record<string, string>>;
}): Markup {
  const { action, text, question, about, fields = {} } = button;
  const name = html`${text}${about && html`<span class="unseen"> ${about}</span>`}`;
  return html`<details class="confirm"><summary class="button danger">${name}</summary>
<form method="post" action="${action}">${Object.entries(fields).map(
    ([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`,
  )}<p>${question}</p>
<button class="danger" type="submit">${name}</button></form></details>`;
}

/** Returns a one-line text field. */
export function inputField(options: Field & { type?: string }): Markup {
  const { type = 'text', ...rest } = options;
  const given = { ...rest, attributes: { type, ...rest.attributes } };
  return field(given, (all) => html`<input${all}>`);
}

export interface Choice {
  value: string;
  text: string;
}

/** Returns a choice of one option; `none` is the label of the empty option, left out if there is none. */
export function selectField(
  options: Omit<Field, 'value'> & {
    choices: readonly Choice[];
    chosen: string | null | undefined;
    none?: string | undefined;
  },
): Markup {
  const { choices, chosen, none, ...rest } = options;
  return field(
    rest,
    (given) =>
      html`<select${given}>${none !== undefined && html`<option value="">${none}</option>`}${choices.map(
        ({ value, text }) =>
          html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
      )}</select>`,
  );
}

/** Returns a checkbox. */
export function checkbox(options: {
  name: string;
  label: string;
  value: string;
  checked?: boolean;
  required?: boolean;
  describedBy?: string | false | undefined;
}): Markup {
  const { name, label, value, checked, required, describedBy } = options;
  const given = attributes({ id: name, name, type: 'checkbox', value, checked, required });
  return html`<label class="choice" for="${name}"><input${given}${attributes({
    'aria-invalid': describedBy && 'true',
    'aria-describedby': describedBy,
  })}> ${label}</label>`;
}

/** Returns checkboxes for any number of options. */
export function checkboxes(options: {
  name: string;
  label: string;
  choices: readonly Choice[];
  chosen: readonly string[];
  error?: string | undefined;
}): Markup {
  const { name, label, choices, chosen, error } = options;
  return html`<fieldset class="field"${attributes({ 'aria-describedby': error && `${name}-error` })}>
<legend>${label}</legend>
${choices.map(
  ({ value, text }) =>
    html`<label class="choice"><input${attributes({ type: 'checkbox', name, value, checked: chosen.includes(value) })}> ${text}</label>\n`,
)}${error && html`<p class="error" id="${name}-error">${error}</p>`}
</fieldset>`;
}

/** Returns the field for an account's address. */
export function emailField(
  options: Pick<Field, 'value' | 'hint' | 'describedBy'> & { autofocus?: boolean | undefined },
): Markup {
  const { value = '', autofocus, ...rest } = options;
  return inputField({
    ...rest,
    name: 'email',
    label: 'Email address',
    type: 'email',
    required: true,
    value,
    attributes: { autocomplete: 'username', maxlength: 254, autofocus },
  });
}

/** Returns the email and password fields. `error`: the id of the message that says why the last attempt failed. */
export function signInFields(state: {
  email?: string | undefined;
  error?: string | undefined;
  autofocus?: boolean;
}): Markup {
  const { email = '', error, autofocus } = state;
  return html`${emailField({ value: email, describedBy: error, autofocus: autofocus && email === '' })}
${inputField({
  name: 'password',
  label: 'Password',
  type: 'password',
  required: true,
  describedBy: error,
  attributes: {
    autocomplete: 'current-password',
    maxlength: 256,
    autofocus: autofocus && email !== '',
  },
})}`;
}

/** Returns the form that filters a list; `kept` are hidden fields. */
export function filterForm(
  path: string,
  fields: readonly Markup[],
  kept: Readonly<Record<string, string | null>> = {},
): Markup {
  const hidden = Object.entries(kept).filter(([, value]) => value !== null);
  return html`<form class="filter" method="get" action="${path}">
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${fields.map((each) => html`${each}\n`)}<button type="submit">Show</button>
</form>`;
}

/** Returns a text filter. */
export function inputFilter(
  name: string,
  label: string,
  value: string | null,
  maxlength: number,
): Markup {
  const id = `filter-${name}`;
  return inputField({ id, name, label, value, attributes: { maxlength } });
}

/** Returns a filter with one choice; the empty option selects everything. */
export function selectFilter(
  name: string,
  label: string,
  choices: readonly Choice[],
  chosen: string | null,
  none = 'All',
): Markup {
  return selectField({ id: `filter-${name}`, name, label, choices, chosen, none });
}

/** Returns the status filter of a list. */
export function statusFilter(
  statuses: readonly string[],
  chosen: string | null,
  none?: string,
): Markup {
  return selectFilter('status', 'Status', choicesOf(statuses), chosen, none);
}

/** Returns the marketplace's terms as choices for people. */
export function choicesOf(words: readonly string[]): Choice[] {
  return words.map((value) => ({ value, text: humanize(value) }));
}

/** Digits, with or without commas between thousands, and an optional fraction. */
const AMOUNT = /^(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/;

/**
 * Parses typed text into minor units: `6000`, `6,000.00`, `$6,000`, `6000 USD`, and amounts as pages and mails show
 * them. Returns undefined for another currency's sign and for anything ambiguous, such as `6.000,00`.
 */
export function parseAmount(typed: string, currency: string): Cents | undefined {
  const plain = withoutSpaces(typed)
    .replace(new RegExp(`^(?:${namesOf(currency)})`, 'i'), '')
    .replace(new RegExp(`${currency}$`, 'i'), '');
  return AMOUNT.test(plain) ? parseDecimalAmount(plain.replaceAll(',', ''), currency) : undefined;
}

/** Returns a currency's code and signs, as pattern alternatives: `JPY`, `¥`, `JP¥`. */
function namesOf(currency: string): string {
  const signs = ['en-US', 'en-GB'].flatMap((locale) =>
    (['symbol', 'narrowSymbol'] as const).map((currencyDisplay) => {
      const parts = currencyFormat(locale, currency, { currencyDisplay }).formatToParts(1);
      return withoutSpaces(parts.find(({ type }) => type === 'currency')?.value ?? currency);
    }),
  );
  const longestFirst = [currency, ...signs].toSorted((one, other) => other.length - one.length);
  return longestFirst.map((name) => name.replace(/[$.*+?^(){}|[\]\\]/g, '\\$&')).join('|');
}

/** Also turns the wide `￥` into `¥`. */
const withoutSpaces = (text: string) => text.normalize('NFKC').replace(/\s/g, '');

/** The submitted values by name, as text. */
export type FormValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns whether a field is an amount: people type amounts in their own way; actions take minor units. */
export function isAmount(name: string): boolean {
  return name.endsWith('_cents');
}

/**
 * Builds an input from submitted values: drops names that the schema doesn't have, treats empty fields as missing,
 * turns a single choice or comma-separated text into a list for array fields, and reads amounts in `currency`.
 * @throws validation_error for an amount that can't be read
 */
export function readFields(
  schema: TObject,
  sent: FormValues,
  currency = 'USD',
): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = sent[name];
    if (value === undefined || value === '') continue;
    const isList = (property as { type?: string }).type === 'array';
    if (isAmount(name)) input[name] = readAmount(`/${name}`, String(value), currency);
    else input[name] = isList && typeof value === 'string' ? listOf(value) : value;
  }
  return input;
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Parses a typed amount into minor units. @throws validation_error that names the currency and its form */
export function readAmount(path: string, typed: string, currency: string): Cents {
  const cents = parseAmount(typed, currency);
  if (cents !== undefined) return cents;
  const message = `must be an amount in ${currency} such as ${exampleAmount(currency)}`;
  throw invalid([{ path, message }]);
}

/** Returns an amount as people type it in this currency: `4,500.00` for USD, `4,500` for JPY. */
export function exampleAmount(currency: string): string {
  return currencyFormat('en-US', currency, { style: 'decimal' }).format(4_500);
}

const names = new Intl.DisplayNames('en', { type: 'region' });

/** Every country with its English name, sorted by name. */
export const COUNTRY_CHOICES: readonly Choice[] = COUNTRY_CODES.map((value) => ({
  value,
  text: names.of(value) ?? value,
})).toSorted((one, other) => one.text.localeCompare(other.text, 'en'));
