import type { ExtraField, RegistrantRules } from '../../market/tlds/tld.ts';
import { COUNTRY_CODE } from '../../platform/json-schema.ts';
import { COUNTRIES_WITH_STATES, COUNTRIES_WITHOUT_POSTAL_CODES } from './postal-address.ts';
import { MAX_STREET_LINES, REGISTRANT_LENGTHS } from './registrant.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

const text = (maxLength: number, more: JsonSchema = {}): JsonSchema => ({
  type: 'string',
  minLength: 1,
  maxLength,
  ...more,
});

/**
 * Returns a TLD's registrant requirements as a JSON Schema (2020-12). Postal codes, phone numbers and check digits are
 * validated when a registrant is submitted: no schema can express them.
 */
export function registrantSchema(tld: string, rules: RegistrantRules): JsonSchema {
  const extra = rules.registrant.extra ?? {};
  const always = namesOf(extra, ({ required }) => required === 'always');
  const { required: needsOrganization, allowed: mayHaveOrganization } = rules.organization;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Registrant of a .${tld} domain`,
    type: 'object',
    additionalProperties: false,
    required: [
      'name',
      ...(needsOrganization ? ['organization'] : []),
      'street',
      'city',
      'country',
      'phone',
      'email',
      ...(always.length > 0 ? ['extra'] : []),
    ],
    properties: {
      name: text(REGISTRANT_LENGTHS.name),
      organization: mayHaveOrganization ? text(REGISTRANT_LENGTHS.organization) : false,
      street: {
        type: 'array',
        items: text(REGISTRANT_LENGTHS.street),
        minItems: 1,
        maxItems: MAX_STREET_LINES,
      },
      city: text(REGISTRANT_LENGTHS.city),
      state: text(REGISTRANT_LENGTHS.state),
      postal_code: text(REGISTRANT_LENGTHS.postal_code),
      country: { type: 'string', pattern: COUNTRY_CODE, description: 'ISO 3166-1 alpha-2.' },
      phone: { type: 'string', pattern: '^\\+[1-9][0-9]{4,14}$', description: 'E.164.' },
      email: text(REGISTRANT_LENGTHS.email, { format: 'email' }),
      extra: {
        type: 'object',
        additionalProperties: false,
        required: always,
        properties: Object.fromEntries(
          Object.entries(extra).map(([name, field]) => [name, fieldSchema(field)]),
        ),
      },
    },
    allOf: [
      implies(countryIn(COUNTRIES_WITH_STATES), { required: ['state'] }),
      { anyOf: [countryIn(COUNTRIES_WITHOUT_POSTAL_CODES), { required: ['postal_code'] }] },
      ...residenceSchemas(rules.registrant.residence),
      ...extraConditions(extra),
    ],
  };
}

function fieldSchema({ title, description, values, pattern }: ExtraField): JsonSchema {
  const about = { title, ...(description !== undefined && { description }) };
  if (values) {
    const oneOf = values.map((each) => ({ const: each.value, title: each.title }));
    return { ...about, type: 'string', oneOf };
  }
  return text(REGISTRANT_LENGTHS.extra, { ...about, ...(pattern !== undefined && { pattern }) });
}

function residenceSchemas(residence: RegistrantRules['registrant']['residence']): JsonSchema[] {
  if (!residence) return [];
  const { countries, unless } = residence;
  const there = { properties: { country: { enum: countries } } };
  return [unless === undefined ? there : { anyOf: [there, needs([unless])] }];
}

/** Returns the conditions for fields that only some registrants must give. */
function extraConditions(extra: Readonly<Record<string, ExtraField>>): JsonSchema[] {
  const conditions: JsonSchema[] = [];
  const organization = { required: ['organization'] };
  const ofOrganizations = namesOf(extra, ({ required }) => required === 'organization');
  const ofPersons = namesOf(extra, ({ required }) => required === 'person');
  if (ofOrganizations.length > 0) conditions.push(implies(organization, needs(ofOrganizations)));
  if (ofPersons.length > 0) conditions.push({ anyOf: [organization, needs(ofPersons)] });
  for (const [name, { required_when: when }] of Object.entries(extra)) {
    if (!when) continue;
    const value = { required: [when.field], properties: { [when.field]: { enum: when.values } } };
    const isSo = { required: ['extra'], properties: { extra: value } };
    conditions.push(implies(isSo, needs([name])));
  }
  return conditions;
}

/** Requires `schema` of whatever matches `condition`. */
const implies = (condition: JsonSchema, schema: JsonSchema): JsonSchema => ({
  anyOf: [{ not: condition }, schema],
});

const countryIn = (countries: readonly string[]): JsonSchema => ({
  required: ['country'],
  properties: { country: { enum: countries } },
});

const needs = (names: readonly string[]): JsonSchema => ({
  required: ['extra'],
  properties: { extra: { required: names } },
});

const namesOf = (
  extra: Readonly<Record<string, ExtraField>>,
  isMeant: (field: ExtraField) => boolean,
): string[] => Object.entries(extra).flatMap(([name, field]) => (isMeant(field) ? [name] : []));
