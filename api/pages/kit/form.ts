import type { TObject } from 'typebox';
import type { FieldError } from '../../../shared/platform/errors.ts';
import type { Cents, Money } from '../../../shared/platform/money.ts';
import { humanize } from './format.ts';
import { html, type Markup } from './html.ts';

interface FieldSchema {
  type?: string;
  enum?: readonly string[];
  items?: { enum?: readonly string[] };
  description?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  /** A secret: sent, never shown. */
  writeOnly?: boolean;
}

/** What was sent for each name, as text. */
export type FormValues = Readonly<Record<string, string | readonly string[] | undefined>>;

const LABELS: Readonly<Record<string, string>> = {
  commission_bps: 'Commission in basis points',
  overlap_hours: 'Overlap in hours',
  period: 'Period',
  affiliate: 'Affiliate account',
  offer_cents: 'Offer in cents',
  deal_price_cents: 'Deal price in cents',
};

/**
 * The input of an action from what a form sent: names it doesn't have are dropped, empty fields count as
 * left out, and a single choice of many is a list.
 */
export function readForm(schema: TObject, sent: FormValues): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = sent[name];
    if (value === undefined || value === '') continue;
    const isList = (property as FieldSchema).type === 'array';
    input[name] = isList && typeof value === 'string' ? [value] : value;
  }
  return input;
}

/** The fields that an action asks for, made from its schema, with what was wrong with the last attempt. */
export function formFields(
  { schema, needs }: { schema: TObject; needs: Readonly<Record<string, string>> },
  names: readonly string[],
  values: FormValues,
  faults: readonly FieldError[],
): Markup[] {
  const required = new Set([...(schema.required ?? []), ...Object.keys(needs)]);
  return names.map((name) => {
    const property: FieldSchema = { ...schema.properties[name] };
    if (needs[name] !== undefined) property.description = needs[name];
    const fault = faults.find(({ path }) => path.split('/')[1] === name)?.message;
    return field(name, property, { required: required.has(name), value: values[name], fault });
  });
}

interface FieldState {
  required: boolean;
  value: string | readonly string[] | undefined;
  fault: string | undefined;
}

function field(name: string, schema: FieldSchema, state: FieldState): Markup {
  const choices = schema.items?.enum;
  if (choices) return checkboxes(name, choices, state);
  if (schema.type === 'boolean') return checkbox(name, schema, state);
  const value = String(state.value ?? '');
  return html`<label for="${name}">${labelOf(name)}${!state.required && optional()}</label>
${schema.enum ? select(name, schema.enum, value, state) : input(name, schema, value, state)}
${notes(name, schema, state)}`;
}

function input(name: string, schema: FieldSchema, value: string, state: FieldState): Markup {
  const { minLength, maxLength, minimum, maximum } = schema;
  if (schema.writeOnly) {
    return html`<input id="${name}" name="${name}" type="password" autocomplete="new-password" minlength="${
      minLength ?? 1
    }" maxlength="${maxLength ?? 255}"${attributes(name, schema, state)}>`;
  }
  return html`<input id="${name}" name="${name}" value="${value}" autocomplete="off"${
    schema.type === 'integer'
      ? html` type="number" step="1"${minimum !== undefined && html` min="${minimum}"`}${
          maximum !== undefined && html` max="${maximum}"`
        }`
      : html` type="text"${minLength !== undefined && html` minlength="${minLength}"`} maxlength="${
          maxLength ?? 255
        }"`
  }${attributes(name, schema, state)}>`;
}

function select(
  name: string,
  choices: readonly string[],
  value: string,
  state: FieldState,
): Markup {
  return html`<select id="${name}" name="${name}"${attributes(name, {}, state)}>
${(!state.required || choices.length > 1) && html`<option value="">${state.required ? 'Choose' : 'Leave out'}</option>`}
${choices.map(
  (choice) =>
    html`<option value="${choice}"${choice === value && html` selected`}>${choice}</option>`,
)}
</select>`;
}

function checkbox(name: string, schema: FieldSchema, { value }: FieldState): Markup {
  return html`<label class="choice" for="${name}"><input id="${name}" name="${name}" type="checkbox"
  value="true"${value === 'true' && html` checked`}> ${schema.description ?? labelOf(name)}</label>`;
}

function checkboxes(name: string, choices: readonly string[], state: FieldState): Markup {
  const chosen = new Set(typeof state.value === 'string' ? [state.value] : state.value);
  return html`<fieldset${describedBy(name, {}, state)}>
<legend>${labelOf(name)}</legend>
${choices.map(
  (choice) => html`<label class="choice"><input type="checkbox" name="${name}" value="${choice}"${
    chosen.has(choice) && html` checked`
  }> ${choice}</label>
`,
)}${state.fault && html`<p class="fault" id="${name}-fault">Choose at least one.</p>`}
</fieldset>`;
}

function notes(name: string, { description }: FieldSchema, { fault }: FieldState): Markup {
  return html`${description && html`<p class="hint" id="${name}-hint">${description}</p>`}${
    fault && html`<p class="fault" id="${name}-fault">${sentence(name, fault)}</p>`
  }`;
}

/** `must have 1 to 255 characters` of a field as a sentence of its own. */
function sentence(name: string, fault: string): string {
  return `${labelOf(name)} ${fault}.`;
}

function attributes(name: string, schema: FieldSchema, state: FieldState): Markup {
  return html`${state.required && html` required`}${
    state.fault && html` aria-invalid="true"`
  }${describedBy(name, schema, state)}`;
}

function describedBy(name: string, { description }: FieldSchema, { fault }: FieldState): Markup {
  const ids = [description && `${name}-hint`, fault && `${name}-fault`].filter(Boolean);
  return html`${ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`}`;
}

export function labelOf(name: string): string {
  return LABELS[name] ?? humanize(name);
}

function optional(): Markup {
  return html` <span class="hint">(optional)</span>`;
}

/** Narrows a list; `kept` goes along unseen. */
export function filterForm(
  path: string,
  fields: readonly Markup[],
  kept: Readonly<Record<string, string | null>> = {},
): Markup {
  const hidden = Object.entries(kept).filter(([, value]) => value !== null);
  return html`<form class="filter" method="get" action="${path}">
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${fields}<div><button type="submit">Show</button></div>
</form>`;
}

/** One choice of a filter; without one, everything. */
export function selectFilter(
  name: string,
  label: string,
  choices: readonly string[],
  chosen: string | null,
  every = 'All',
): Markup {
  return html`<div><label for="filter-${name}">${label}</label>
<select id="filter-${name}" name="${name}"><option value="">${every}</option>${choices.map(
    (choice) =>
      html`<option value="${choice}"${choice === chosen && html` selected`}>${
        choice === 'LIVE' || choice === 'SANDBOX' ? choice : humanize(choice)
      }</option>`,
  )}</select></div>
`;
}

export function environmentFilter(chosen: string | null): Markup {
  return selectFilter('environment', 'Environment', ['LIVE', 'SANDBOX'], chosen);
}

/** Digits, with commas between thousands or without, and maybe a fraction. */
const AMOUNT = /^(\d{1,12}|\d{1,3}(?:,\d{3}){1,3})(?:\.(\d+))?$/;

/**
 * What a buyer typed, in minor units: `6000`, `6,000.00`, `$6,000`, `6000 USD`. Undefined for everything that
 * could mean more than one amount, such as `6.000,00`.
 */
export function parseAmount(typed: string, currency: string): Cents | undefined {
  const plain = typed
    .replace(/[\s\u00a0\u202f]/g, '')
    .replace(/^\p{Sc}/u, '')
    .replace(new RegExp(`^${currency}|${currency}$`, 'i'), '');
  const [, whole = '', fraction = ''] = AMOUNT.exec(plain) ?? [];
  const digits = fractionDigits(currency);
  if (whole === '' || fraction.length > digits) return undefined;
  return Number(whole.replaceAll(',', '') + fraction.padEnd(digits, '0'));
}

/** An amount as the field shows it: `6000.00`. */
export function amountFieldValue({ amount, currency }: Money): string {
  const digits = fractionDigits(currency);
  return (amount / 10 ** digits).toFixed(digits);
}

function fractionDigits(currency: string): number {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}
