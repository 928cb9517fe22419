import type { FieldError } from '../../../shared/platform/errors.ts';
import type { Markup } from '../../../shared/platform/html.ts';
import { MANUAL_CHECKS } from '../../../shared/sales/transfers/manual-checks.ts';
import {
  type Choice,
  checkbox,
  checkboxes,
  exampleAmount,
  type Field,
  type FormValues,
  inputField,
  isAmount,
  selectField,
} from '../../pages/kit/form.ts';
import { humanize } from '../../pages/kit/format.ts';
import type { ActionForm } from './forms/action-form.ts';

interface FieldSchema {
  type?: string;
  enum?: readonly string[];
  items?: { enum?: readonly string[] };
  description?: string;
  /** What people read in place of the description. */
  hint?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  /** A secret: sent, but never shown. */
  writeOnly?: boolean;
}

/** Labels for fields whose name makes a bad label. */
const LABELS: Readonly<Record<string, string>> = {
  commission_bps: 'Commission in basis points',
  vat_bps: 'VAT in basis points',
  tax_id: 'Tax number',
  overlap_hours: 'Overlap in hours',
  affiliate: 'Affiliate account',
  allowed_ips: 'Allowed addresses',
  auth_code: 'Authorization code',
};

/** What choices are called, by their field, where their names are no words. */
const CHOICES: Readonly<Record<string, Readonly<Record<string, { text: string }>>>> = {
  checks: MANUAL_CHECKS,
};

/** Returns the label of a field. */
export function labelOf(name: string): string {
  return LABELS[name] ?? humanize(isAmount(name) ? name.replace(/_cents$/, '') : name);
}

/** Returns a form's fields, built from its action's schema, with the errors of the last attempt. */
export function actionFields(
  form: Pick<ActionForm, 'action' | 'required' | 'hints'>,
  names: readonly string[],
  values: FormValues,
  state: { faults: readonly FieldError[]; currency: string },
): Markup[] {
  const { input } = form.action;
  const required = new Set([...(input.required ?? []), ...(form.required ?? [])]);
  return names.map((name) => {
    const schema: FieldSchema = { ...input.properties[name] };
    const fault = state.faults.find(({ path }) => path.split('/')[1] === name)?.message;
    const text = form.hints?.[name] ?? schema.hint ?? schema.description;
    const hint =
      text && isAmount(name) ? `${text} Example: ${exampleAmount(state.currency)}` : text;
    const label = isAmount(name) ? `${labelOf(name)} (${state.currency})` : labelOf(name);
    const field = {
      name,
      label,
      hint,
      // Turns `must have 1 to 255 characters` into a sentence about the field.
      error: fault && `${labelOf(name)} ${fault}.`,
      required: required.has(name),
      optional: !required.has(name),
    };
    return control(field, schema, values[name]);
  });
}

function control(
  field: Field & { name: string },
  schema: FieldSchema,
  value: string | readonly string[] | undefined,
): Markup {
  const { name, required } = field;
  const choices = schema.items?.enum;
  if (choices) {
    const chosen = typeof value === 'string' ? [value] : (value ?? []);
    const error = field.error && 'Choose at least one.';
    return checkboxes({ name, label: field.label, choices: named(choices, name), chosen, error });
  }
  if (schema.type === 'boolean') {
    const label = schema.description ?? field.label;
    return checkbox({ name, label, value: 'true', checked: value === 'true' });
  }
  const text = String(value ?? '');
  if (schema.enum) {
    const single = required && schema.enum.length === 1;
    const none = single ? undefined : required ? 'Choose' : `No ${field.label.toLowerCase()}`;
    return selectField({ ...field, choices: named(schema.enum, name), chosen: text, none });
  }
  const { minLength = 1, maxLength = 255, minimum, maximum } = schema;
  if (schema.writeOnly) {
    const attributes = {
      autocomplete: 'new-password',
      minlength: minLength,
      maxlength: maxLength,
    };
    return inputField({ ...field, type: 'password', attributes });
  }
  if (isAmount(name)) {
    const attributes = { autocomplete: 'off', inputmode: 'decimal', maxlength: 30 };
    return inputField({ ...field, value: text, attributes });
  }
  const attributes =
    schema.type === 'integer'
      ? { autocomplete: 'off', step: 1, min: minimum, max: maximum }
      : { autocomplete: 'off', minlength: schema.minLength, maxlength: maxLength };
  const type = schema.type === 'integer' ? 'number' : 'text';
  return inputField({ ...field, type, value: text, attributes });
}

function named(values: readonly string[], field: string): Choice[] {
  return values.map((value) => ({ value, text: CHOICES[field]?.[value]?.text ?? value }));
}
