import type { TObject } from 'typebox';
import { COUNTRY_CODES } from '../../../shared/platform/countries.ts';
import { currencyFormat } from '../../../shared/platform/currencies.ts';
import { invalid } from '../../../shared/platform/errors.ts';
import { type Attributes, attributes, html, type Markup } from '../../../shared/platform/html.ts';
import { type Cents, parseDecimalAmount } from '../../../shared/platform/money.ts';
import { humanize } from './format.ts';

/** One field of a form: its label, what helps to fill it in, and what was wrong with it. */
export interface Field {
  /** The name of the field, and its id unless another is given. */
  name?: string;
  id?: string;
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  /** The id of a message elsewhere on the page that is about this field. */
  describedBy?: string | false | undefined;
  /** What was entered was refused; a field with an `error` was anyway. */
  invalid?: boolean | undefined;
  required?: boolean;
  /** Says so beside the label. */
  optional?: boolean;
  value?: unknown;
  /** Further attributes of the control. */
  attributes?: Attributes;
}

/** A field whose control is made by `control` of its attributes. */
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
 * A button for what cannot be undone. It opens the question, and sends only by the button beside that; `about` tells
 * screen readers of what, where there are several.
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

/** A line of text. */
export function inputField(options: Field & { type?: string }): Markup {
  const { type = 'text', ...rest } = options;
  const given = { ...rest, attributes: { type, ...rest.attributes } };
  return field(given, (all) => html`<input${all}>`);
}

export interface Choice {
  value: string;
  text: string;
}

/** One of several; `none` is the text of the choice of nothing, left out where there is none. */
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

/** A box to tick. */
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

/** Boxes to tick, any number of them. */
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

/** The address of an account. */
export function emailField(
  options: Pick<Field, 'value' | 'hint' | 'describedBy'> & { autofocus?: boolean | undefined },
): Markup {
  const { value = '', autofocus, ...rest } = options;
  return inputField({
    ...rest,
    name: 'email',
    label: 'E-mail address',
    type: 'email',
    required: true,
    value,
    attributes: { autocomplete: 'username', maxlength: 254, autofocus },
  });
}

/** E-mail address and password. `error`: the id of the message that says why the last attempt failed. */
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

/** Narrows a list; `kept` is sent along unseen. */
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

/** Text of a filter. */
export function inputFilter(
  name: string,
  label: string,
  value: string | null,
  maxlength: number,
): Markup {
  const id = `filter-${name}`;
  return inputField({ id, name, label, value, attributes: { maxlength } });
}

/** One choice of a filter; without one, everything. */
export function selectFilter(
  name: string,
  label: string,
  choices: readonly Choice[],
  chosen: string | null,
  none = 'All',
): Markup {
  return selectField({ id: `filter-${name}`, name, label, choices, chosen, none });
}

/** The choice of a status in a list. */
export function statusFilter(
  statuses: readonly string[],
  chosen: string | null,
  none?: string,
): Markup {
  return selectFilter('status', 'Status', choicesOf(statuses), chosen, none);
}

/** Words of the marketplace as choices for people. */
export function choicesOf(words: readonly string[]): Choice[] {
  return words.map((value) => ({ value, text: humanize(value) }));
}

/** Digits, with commas between thousands or without, and maybe a fraction. */
const AMOUNT = /^(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/;

/**
 * What a person typed, in minor units: `6000`, `6,000.00`, `$6,000`, `6000 USD`, and an amount as pages show it.
 * Undefined for everything that could mean more than one amount, such as `6.000,00`.
 */
export function parseAmount(typed: string, currency: string): Cents | undefined {
  const plain = withoutSpaces(typed)
    .replace(new RegExp(`^(?:${namesOf(currency)}|\\p{Sc})`, 'iu'), '')
    .replace(new RegExp(`${currency}$`, 'i'), '');
  return AMOUNT.test(plain) ? parseDecimalAmount(plain.replaceAll(',', ''), currency) : undefined;
}

/** A currency's code and sign, as alternatives of a pattern. */
function namesOf(currency: string): string {
  const parts = currencyFormat('en-US', currency).formatToParts(1);
  const sign = parts.find(({ type }) => type === 'currency')?.value ?? '';
  return `${currency}|${withoutSpaces(sign).replace(/[$.*+?^(){}|[\]\\]/g, '\\$&')}`;
}

const withoutSpaces = (text: string) => text.replace(/[\s\u00a0\u202f]/g, '');

/** What was sent for each name, as text. */
export type FormValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/** People enter amounts of money as they write them; actions take them in minor units. */
export function isAmount(name: string): boolean {
  return name.endsWith('_cents');
}

/**
 * An input from what a form sent: names it doesn't have are dropped, empty fields count as
 * left out, a single choice of many is a list, as is text with commas, and amounts are read in `currency`.
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
    if (isAmount(name)) input[name] = readAmount(name, String(value), currency);
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

function readAmount(name: string, typed: string, currency: string): number {
  const cents = parseAmount(typed, currency);
  if (cents !== undefined) return cents;
  const example = currencyFormat('en-US', currency, { style: 'decimal' }).format(4_500);
  throw invalid([{ path: `/${name}`, message: `must be an amount such as ${example}` }]);
}

const names = new Intl.DisplayNames('en', { type: 'region' });

/** Every country with its English name, by name. */
export const COUNTRY_CHOICES: readonly Choice[] = COUNTRY_CODES.map((value) => ({
  value,
  text: names.of(value) ?? value,
})).toSorted((one, other) => one.text.localeCompare(other.text, 'en'));
