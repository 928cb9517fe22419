import { hasPostalCodes, hasStates } from '../../../shared/domains/registrants/postal-address.ts';
import type { RegistrantDraft } from '../../../shared/domains/registrants/registrant.ts';
import {
  MAX_STREET_LINES,
  REGISTRANT_LENGTHS,
} from '../../../shared/domains/registrants/registrant.ts';
import type { ExtraField, RegistrantRules } from '../../../shared/market/tlds/tld.ts';
import type { FieldError } from '../../../shared/platform/errors.ts';
import { type Attributes, html, type Markup } from '../../../shared/platform/html.ts';
import { COUNTRY_CHOICES, type Field, inputField, selectField } from './form.ts';
import { notice } from './page-parts.ts';

/** The values of the form, by field name. */
export type RegistrantForm = Readonly<Record<string, string>>;

/** A form that asks for the registrant of a domain. */
export interface AskedRegistrant {
  rules: RegistrantRules;
  typed: RegistrantForm;
  /** The form's errors, by JSON pointers into a registrant. */
  faults: readonly FieldError[];
}

const EXTRA = 'extra_';
const streetField = (line: number) => `street_${line}`;

/** Returns the form, filled in with what is known of the registrant. */
export function formOf({ street = [], extra = {}, ...rest }: RegistrantDraft): RegistrantForm {
  const lines = street.map((line, at) => [streetField(at), line]);
  const asked = Object.entries(extra).map(([name, value]) => [EXTRA + name, value]);
  return Object.fromEntries([...Object.entries(rest), ...lines, ...asked]);
}

/** Reads the registrant from a submitted form. */
export function draftOfForm(typed: RegistrantForm): RegistrantDraft {
  const extra = Object.entries(typed).flatMap(([name, value]) =>
    name.startsWith(EXTRA) ? [[name.slice(EXTRA.length), value] as const] : [],
  );
  const { name, organization, city, state, postal_code, country, phone, email } = typed;
  return {
    name,
    organization,
    street: Array.from({ length: MAX_STREET_LINES }, (_, line) => typed[streetField(line)] ?? ''),
    city,
    state,
    postal_code,
    country,
    phone,
    email,
    extra: Object.fromEntries(extra),
  };
}

/** Returns the form's fields, including what the TLD requires. */
export function registrantFields(asked: AskedRegistrant): Markup {
  return html`${asked.rules.registrant.requirements.map((each) => html`<p class="hint">${each}</p>`)}
${fields(asked).map(({ path, control }) => control(faultOf(asked, path)))}`;
}

interface PageField {
  /** The field's JSON pointer in a registrant. */
  path: string;
  id: string;
  label: string;
  control(error: string | undefined): Markup;
}

function fields({ rules, typed }: AskedRegistrant): PageField[] {
  const { country = '' } = typed;
  const input = (
    path: string,
    label: string,
    attributes: Attributes,
    more: Pick<Field, 'optional' | 'hint'> & { id?: string } = {},
  ): PageField => {
    const { id = path.slice(1), ...rest } = more;
    const control = (error: string | undefined) =>
      inputField({
        ...rest,
        name: id,
        label,
        error,
        required: !more.optional,
        value: typed[id] ?? '',
        attributes: { dir: 'auto', ...attributes },
      });
    return { path, id, label, control };
  };
  const { organization, registrant } = rules;
  return [
    input('/name', 'Full name', { autocomplete: 'name', maxlength: REGISTRANT_LENGTHS.name }),
    ...(organization.allowed
      ? [
          input(
            '/organization',
            'Organization',
            { autocomplete: 'organization', maxlength: REGISTRANT_LENGTHS.organization },
            {
              optional: !organization.required,
              hint: organization.notes ?? 'Only if an organization owns the domain.',
            },
          ),
        ]
      : []),
    countryField(typed),
    ...Array.from({ length: MAX_STREET_LINES }, (_, line) =>
      input(
        line === 0 ? '/street' : `/street/${line}`,
        line === 0 ? 'Street and number' : `Address line ${line + 1}`,
        {
          autocomplete: `address-line${line + 1}`,
          maxlength: REGISTRANT_LENGTHS.street,
        },
        { id: streetField(line), optional: line > 0 },
      ),
    ),
    input('/city', 'City', {
      autocomplete: 'address-level2',
      maxlength: REGISTRANT_LENGTHS.city,
    }),
    input(
      '/state',
      'State, province or prefecture',
      { autocomplete: 'address-level1', maxlength: REGISTRANT_LENGTHS.state },
      { optional: !hasStates(country) },
    ),
    input(
      '/postal_code',
      'Postal code',
      { autocomplete: 'postal-code', maxlength: REGISTRANT_LENGTHS.postal_code },
      { optional: country !== '' && !hasPostalCodes(country) },
    ),
    input(
      '/phone',
      'Phone number',
      { type: 'tel', autocomplete: 'tel', maxlength: REGISTRANT_LENGTHS.phone },
      { hint: 'With the country code, such as +49 30 123456.' },
    ),
    input('/email', 'Email address', {
      type: 'email',
      autocomplete: 'email',
      maxlength: REGISTRANT_LENGTHS.email,
    }),
    ...Object.entries(registrant.extra ?? {}).map(([name, field]) =>
      field.values
        ? choiceField(name, field, typed)
        : input(
            `/extra/${name}`,
            field.title,
            { maxlength: REGISTRANT_LENGTHS.extra },
            { id: EXTRA + name, optional: field.required !== 'always', hint: field.description },
          ),
    ),
  ];
}

function countryField({ country = '' }: RegistrantForm): PageField {
  const label = 'Country';
  const control = (error: string | undefined) =>
    selectField({
      name: 'country',
      label,
      error,
      required: true,
      attributes: { autocomplete: 'country' },
      choices: COUNTRY_CHOICES,
      chosen: country,
      none: 'Choose a country',
    });
  return { path: '/country', id: 'country', label, control };
}

function choiceField(
  name: string,
  { title: label, description: hint, values = [], required }: ExtraField,
  typed: RegistrantForm,
): PageField {
  const id = EXTRA + name;
  const control = (error: string | undefined) =>
    selectField({
      name: id,
      label,
      hint,
      error,
      required: required === 'always',
      optional: required !== 'always',
      choices: values.map(({ value, title: text }) => ({ value, text })),
      chosen: typed[id],
      none: 'Choose one',
    });
  return { path: `/extra/${name}`, id, label, control };
}

/** Returns the error of a field, as a sentence. */
function faultOf(page: AskedRegistrant, path: string): string | undefined {
  // The first line stands for the whole street.
  const isMeant = (each: FieldError) =>
    each.path === path || (path === '/street' && each.path === '/street/0');
  const fault = page.faults.find(isMeant);
  if (!fault) return undefined;
  const all = fields(page);
  const labelOf = (of: string) => all.find((each) => each.path === of)?.label ?? of;
  const message = fault.message.replace(/\/extra\/[a-z_]+/g, (of) => `“${labelOf(of)}”`);
  return `${labelOf(path)} ${message}.`;
}

/** Lists the problems at the top of the page, announced to screen readers, with a link to each field. */
export function registrantProblems(page: AskedRegistrant): Markup | false {
  if (page.faults.length === 0) return false;
  const wrong = fields(page).flatMap(({ id, path }) => {
    const text = faultOf(page, path);
    return text ? [html`<li><a href="#${id}">${text}</a></li>`] : [];
  });
  return notice({
    tone: 'bad',
    id: 'problems',
    title: wrong.length === 1 ? 'Please correct one field' : 'Please correct these fields',
    focus: true,
    content: html`<ul>${wrong}</ul>`,
  });
}
