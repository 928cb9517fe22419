import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js';
import type { ExtraField, RegistrantRules } from '../../market/tlds/tld.ts';
import { isMailAddress } from '../../messaging/mail/mail.ts';
import { readCountry } from '../../platform/countries.ts';
import { withAsciiDomain } from '../../platform/email-address.ts';
import { type FieldError, invalid } from '../../platform/errors.ts';
import { oneLineFaults } from '../../platform/one-line.ts';
import { isIdentityNumber } from './identity-numbers.ts';
import { hasPostalCodes, hasStates, isPostalCode } from './postal-address.ts';
import {
  MAX_STREET_LINES,
  REGISTRANT_LENGTHS,
  type Registrant,
  type RegistrantDraft,
} from './registrant.ts';

/** The registrant rules for TLDs without rules of their own: an ordinary address. */
export const COMMON_RULES: RegistrantRules = {
  organization: { required: false, allowed: true, notes: null },
  registrant: { local_presence: false, requirements: [] },
};

/**
 * Validates a draft by the rules of a TLD and returns the registrant, with its phone number in E.164.
 * @param at the path of the draft in the request, such as `/registrant`; empty if it is the whole request
 * @throws validation_error with every fault
 */
export function readRegistrant(
  draft: RegistrantDraft,
  rules: RegistrantRules,
  at: string,
): Registrant {
  const country = readCountry(textOf(draft.country).toUpperCase());
  const phone = parsePhone(textOf(draft.phone), country);
  const registrant: Registrant = {
    name: textOf(draft.name),
    organization: textOf(draft.organization) || null,
    street: (draft.street ?? []).map(textOf).filter((line) => line !== ''),
    city: textOf(draft.city),
    state: textOf(draft.state) || null,
    postalCode: textOf(draft.postal_code) || null,
    country: country ?? '',
    phone: phone ?? '',
    email: textOf(draft.email),
    extra: extraOf(draft.extra ?? {}),
  };
  const faults = [...formFaults(registrant, draft), ...ruleFaults(registrant, rules)];
  if (faults.length > 0) {
    throw invalid(faults.map(({ path, message }) => ({ path: `${at}${path}`, message })));
  }
  return registrant;
}

/** Parses a phone number to E.164, with `country` as the default country. Undefined for an invalid number. */
function parsePhone(text: string, country: string | undefined): string | undefined {
  // The library does not know the numbers of a few territories.
  const number = parsePhoneNumberFromString(text, country as CountryCode | undefined);
  return number?.isValid() ? number.number : undefined;
}

const textOf = (given: string | undefined) => (given ?? '').trim();

function extraOf(given: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(given).map(([name, value]) => [name, textOf(value)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

const REQUIRED = 'is required';
/** Replacement characters of lost text, and characters that XML 1.0 cannot represent in registry documents. */
const UNREADABLE = /[\uFFFD-\uFFFF]|\p{Cs}/u;

/** Returns the faults of an address under any TLD. */
function formFaults(registrant: Registrant, draft: RegistrantDraft): FieldError[] {
  const { name, organization, street, city, state, postalCode, country, email } = registrant;
  const faults: FieldError[] = [];
  const check = (path: string, value: string | null, longest: number) => {
    if (value === null) return;
    if (value === '') faults.push({ path, message: REQUIRED });
    else if (value.length > longest) {
      faults.push({ path, message: `must have at most ${longest} characters` });
    } else if (UNREADABLE.test(value)) {
      faults.push({ path, message: 'has a character that cannot be read' });
    } else faults.push(...oneLineFaults(path, value));
  };
  check('/name', name, REGISTRANT_LENGTHS.name);
  check('/organization', organization, REGISTRANT_LENGTHS.organization);
  if (street.length === 0) faults.push({ path: '/street', message: REQUIRED });
  if (street.length > MAX_STREET_LINES) {
    faults.push({ path: '/street', message: `must have at most ${MAX_STREET_LINES} lines` });
  }
  for (const [index, line] of street.entries()) {
    check(`/street/${index}`, line, REGISTRANT_LENGTHS.street);
  }
  check('/city', city, REGISTRANT_LENGTHS.city);
  check('/state', state, REGISTRANT_LENGTHS.state);
  check('/email', email, REGISTRANT_LENGTHS.email);
  const ascii = withAsciiDomain(email);
  // Registries take only ASCII addresses (RFC 5733).
  if (ascii) faults.push({ path: '/email', message: `must be written as ${ascii}` });
  else if (/[^\x20-\x7e]/.test(email)) {
    faults.push({ path: '/email', message: 'must have only ASCII characters' });
  } else if (email !== '' && !isMailAddress(email)) {
    faults.push({ path: '/email', message: 'must be an email address' });
  }
  if (country === '') {
    const message = textOf(draft.country)
      ? 'must be a country code of ISO 3166-1 alpha-2, such as DE'
      : REQUIRED;
    faults.push({ path: '/country', message });
  } else faults.push(...countryFaults({ state, postalCode, country }));
  if (registrant.phone === '') {
    const message = textOf(draft.phone)
      ? 'must be complete and begin with its country code, such as +4930123456'
      : REQUIRED;
    faults.push({ path: '/phone', message });
  }
  return faults;
}

function countryFaults({
  state,
  postalCode,
  country,
}: Pick<Registrant, 'state' | 'postalCode' | 'country'>): FieldError[] {
  const faults: FieldError[] = [];
  if (state === null && hasStates(country)) {
    faults.push({ path: '/state', message: `is required in ${country}` });
  }
  if (postalCode === null && hasPostalCodes(country)) {
    faults.push({ path: '/postal_code', message: `is required in ${country}` });
  }
  if (postalCode !== null && !isPostalCode(postalCode, country)) {
    faults.push({ path: '/postal_code', message: `does not look like one of ${country}` });
  }
  if (postalCode !== null && postalCode.length > REGISTRANT_LENGTHS.postal_code) {
    const message = `must have at most ${REGISTRANT_LENGTHS.postal_code} characters`;
    faults.push({ path: '/postal_code', message });
  }
  return faults;
}

/** Returns the faults of a registrant under a TLD's rules. */
function ruleFaults(registrant: Registrant, rules: RegistrantRules): FieldError[] {
  const { organization, country, extra } = registrant;
  const { residence, extra: fields = {} } = rules.registrant;
  const faults: FieldError[] = [];
  if (organization === null && rules.organization.required) {
    faults.push({ path: '/organization', message: REQUIRED });
  }
  if (organization !== null && !rules.organization.allowed) {
    faults.push({
      path: '/organization',
      message: 'must be omitted: this TLD is for individuals only',
    });
  }
  if (residence && country !== '' && !residence.countries.includes(country)) {
    const { unless } = residence;
    const instead = unless ? `, or give /extra/${unless}` : '';
    if (unless === undefined || extra[unless] === undefined) {
      const message = `must be one of ${residence.countries.join(', ')}${instead}`;
      faults.push({ path: '/country', message });
    }
  }
  for (const name of Object.keys(extra)) {
    if (!Object.hasOwn(fields, name)) {
      faults.push({ path: `/extra/${name}`, message: 'is not used by this TLD' });
    }
  }
  for (const [name, field] of Object.entries(fields)) {
    const message = extraFault(name, field, registrant);
    if (message) faults.push({ path: `/extra/${name}`, message });
  }
  return faults;
}

function extraFault(name: string, field: ExtraField, registrant: Registrant): string | undefined {
  const value = registrant.extra[name];
  if (value === undefined) return isRequired(field, registrant) ? REQUIRED : undefined;
  if (value.length > REGISTRANT_LENGTHS.extra) {
    return `must have at most ${REGISTRANT_LENGTHS.extra} characters`;
  }
  const { values, pattern, check } = field;
  if (values && !values.some((each) => each.value === value)) {
    return `must be one of ${values.map((each) => each.value).join(', ')}`;
  }
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) {
    return `is not in the expected form${field.description ? `: ${field.description}` : ''}`;
  }
  if (check && !isIdentityNumber(check, value, registrant)) {
    return 'is not a valid number: check its digits';
  }
  return oneLineFaults('', value)[0]?.message;
}

/** Returns whether this registrant must give an extra field. */
function isRequired({ required, required_when }: ExtraField, registrant: Registrant): boolean {
  if (required_when?.values.includes(registrant.extra[required_when.field] ?? '')) return true;
  if (required === 'person') return registrant.organization === null;
  if (required === 'organization') return registrant.organization !== null;
  return required === 'always';
}
