import { hasPostalCodes, hasStates } from '../../../shared/domains/registrants/postal-address.ts';
import type { RegistrantDraft } from '../../../shared/domains/registrants/registrant.ts';
import {
  MAX_STREET_LINES,
  REGISTRANT_LENGTHS,
} from '../../../shared/domains/registrants/registrant.ts';
import { parseDomain } from '../../../shared/market/names/domain-name.ts';
import type { ExtraField, RegistrantRules } from '../../../shared/market/tlds/tld.ts';
import type { Brand } from '../../../shared/messaging/mail/mail-settings.ts';
import type { FieldError } from '../../../shared/platform/errors.ts';
import { type Attributes, html, type Markup } from '../../../shared/platform/html.ts';
import { brandLinks, brandMark, brandStyles } from '../kit/brand-parts.ts';
import type { ErrorWords } from '../kit/error-page.ts';
import { COUNTRY_CHOICES, type Field, inputField, selectField } from '../kit/form.ts';
import { htmlDocument } from '../kit/html-document.ts';
import { notice } from '../kit/page-parts.ts';

/** What stands in the form, by the names of its fields. */
export type RegistrantForm = Readonly<Record<string, string>>;

export interface RegistrantPage {
  /** A-labels. */
  domain: string;
  rules: RegistrantRules;
  /** Where the form is sent. */
  action: string;
  typed: RegistrantForm;
  /** What was wrong with it, by pointers into a registrant. */
  faults: readonly FieldError[];
  /** Whether the registrant is known, so that this is a change. */
  isKnown: boolean;
  /** Whether it was saved just now. */
  isSaved: boolean;
  /** How the partner appears to the buyer. */
  brand: Brand;
  /** In SANDBOX: which clock the page goes by. */
  testMode: string | false;
}

const EXTRA = 'extra_';
const streetField = (line: number) => `street_${line}`;

/** The form, filled in with what is known of the registrant. */
export function formOf({ street = [], extra = {}, ...rest }: RegistrantDraft): RegistrantForm {
  const lines = street.map((line, at) => [streetField(at), line]);
  const asked = Object.entries(extra).map(([name, value]) => [EXTRA + name, value]);
  return Object.fromEntries([...Object.entries(rest), ...lines, ...asked]);
}

/** What a form that was sent says of the registrant. */
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

/** The page where a buyer says who the domain is registered for. */
export function registrantPage(page: RegistrantPage): string {
  const { unicode } = parseDomain(page.domain);
  const { rules, isKnown, isSaved } = page;
  return registrantLayout({
    title: `Where should we register ${unicode}?`,
    brand: page.brand,
    testMode: page.testMode,
    content: html`<header class="top">
${page.brand.displayName !== null && html`<p class="brand">${brandMark({ brand: page.brand, name: page.brand.displayName })}</p>`}
<p class="kicker">${unicode}</p>
<h1>Where should we register it?</h1>
</header>
${isSaved && notice({ tone: 'good', content: 'Saved. We register the domain for this person or organization.', focus: true })}
${problems(page)}
<section class="card registrant">
<p>${isKnown ? 'You can change this until the domain is delivered.' : 'A domain belongs to a person or an organization, with an address. The registry checks that it is complete. You can write in any script.'}</p>
${rules.registrant.requirements.map((each) => html`<p class="hint">${each}</p>`)}
<form method="post" action="${page.action}" novalidate>
${fields(page).map(({ path, control }) => control(faultOf(page, path)))}
<button class="primary" type="submit">${isKnown ? 'Save changes' : 'Register it here'}</button>
</form>
</section>`,
  });
}

/** A page that says why there is no form. */
export function registrantNotice({ title, text }: ErrorWords): string {
  return registrantCard(title, html`<p>${text}</p>`);
}

/** A page with one thing to say or to do. */
export function registrantCard(title: string, content: Markup): string {
  return registrantLayout({
    title,
    content: html`<section class="card alone"><h1>${title}</h1>${content}</section>`,
  });
}

interface PageField {
  /** Where the field stands in a registrant. */
  path: string;
  id: string;
  label: string;
  control(error: string | undefined): Markup;
}

function fields({ rules, typed }: RegistrantPage): PageField[] {
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
              hint: organization.notes ?? 'Only if the domain belongs to it.',
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
    input('/email', 'E-mail address', {
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

/** What is wrong with a field, as a sentence. */
function faultOf(page: RegistrantPage, path: string): string | undefined {
  // The first line stands for the street as a whole.
  const isMeant = (each: FieldError) =>
    each.path === path || (path === '/street' && each.path === '/street/0');
  const fault = page.faults.find(isMeant);
  if (!fault) return undefined;
  const all = fields(page);
  const labelOf = (of: string) => all.find((each) => each.path === of)?.label ?? of;
  const message = fault.message.replace(/\/extra\/[a-z_]+/g, (of) => `“${labelOf(of)}”`);
  return `${labelOf(path)} ${message}.`;
}

/** What is in the way, first on the page and read out, with a link to each field. */
function problems(page: RegistrantPage): Markup | false {
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

/** A page for a buyer who has its link, in the look of the partner. */
export function registrantLayout(page: {
  title: string;
  content: Markup;
  brand?: Brand;
  testMode?: string | false;
  /** Why the link is to be kept secret. */
  secret?: string;
}): string {
  const { brand, secret = CHANGEABLE } = page;
  const name = brand?.displayName ?? null;
  return htmlDocument({
    title: page.title,
    styles: ['progress.css'],
    head: brand && brandStyles(brand),
    bodyClass: brand && 'branded',
    testMode: page.testMode,
    content: html`<main>
${page.content}
${brand && html`<footer>${name !== null && brandLinks({ brand, name })}<p>${secret}</p></footer>`}
</main>`,
  });
}

const CHANGEABLE = 'Anyone with the link to this page can change these details. Don’t share it.';
