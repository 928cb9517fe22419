import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { TSchema } from 'typebox';
import { NAME_PATTERN } from '../../shared/messaging/webhooks/endpoint-settings.ts';
import { type FieldError, invalid } from '../../shared/platform/errors.ts';
import {
  COLOR,
  COUNTRY_CODE,
  CURRENCY_CODE,
  JOB_NUMBER,
  LIST_NAME,
  SHA256_HEX,
  SPAN,
} from '../../shared/platform/json-schema.ts';
import { NOT_ONE_LINE, ONE_LINE, oneLineFaults } from '../../shared/platform/one-line.ts';
import { HTTP_URL } from './common-schemas.ts';

/** Marks a field that an {@link oneLineValidator} lets hold line ends, such as a note. */
export const ANY_TEXT = { anyText: true } as const;

/** A keyword of schemas: people see the field, but a command does not take it as an argument. */
export const NOT_AN_ARGUMENT = { notAnArgument: true } as const;

const dateTime = fullFormats['date-time'] as { validate(text: string): boolean };
const date = fullFormats.date as { validate(text: string): boolean };
/** Our own schemas are checked by types and tests, so Ajv need not validate them. */
const OURS = { meta: false, validateSchema: false };
const RULES = { ...OURS, allErrors: true, strict: true, strictRequired: false };
const bodies = new Ajv2020(RULES);
const parameters = new Ajv2020({ ...RULES, useDefaults: true });
for (const ajv of [bodies, parameters]) {
  addFormats.default(ajv, ['email', 'uri']);
  ajv.addKeyword('anyText');
  ajv.addKeyword('notAnArgument');
  ajv.addFormat('date', (text) => date.validate(text) && isInRange(text));
  ajv.addFormat('date-time', (text) => dateTime.validate(text) && isInRange(text));
}

/** The exclusive end of the year 9999: ISO 8601 and Postgres write later years differently. */
const END_OF_DATES = Date.UTC(10_000, 0, 1);

/**
 * Whether an instant is in the years 1970 to 9999. False also for RFC 3339 forms that `Date` cannot hold: leap seconds
 * and offsets without minutes.
 */
function isInRange(text: string): boolean {
  const at = Date.parse(text);
  return at >= 0 && at < END_OF_DATES;
}

/** The most faults in one response, so that a list of thousands of wrong items does not get an answer of megabytes. */
const MAX_FAULTS = 50;
/** How many errors of the validator are looked at for them: each alternative of a field has errors of its own. */
const MAX_READ = 500;

/** Checks one part of a request; throws `validation_error` with its faults. */
export type Validator = (value: unknown) => unknown;

/**
 * For bodies: what is sent is taken as it is, nothing is coerced. Null in an optional field that has no null means that
 * it is left out, as clients of many languages write it.
 */
export function bodyValidator(schema: TSchema): Validator {
  return toValidator(
    () => bodies.compile(schema),
    (value) => withoutNulls(schema as Shape, value ?? {}),
  );
}

/**
 * For what people type and others read (names, references, labels): as `check`, and each text of the input is one line
 * unless its field is {@link ANY_TEXT} or a secret.
 */
export function oneLineValidator(schema: TSchema, check: Validator): Validator {
  const { properties = {} } = schema as Shape;
  const isOneLine = (name: string) => !properties[name]?.anyText && !properties[name]?.writeOnly;
  return (given) => {
    const faults = Object.entries(given ?? {}).flatMap(([name, field]) =>
      isOneLine(name) ? oneLineFaults(`/${name}`, field) : [],
    );
    if (faults.length > 0) throw invalid(faults.slice(0, MAX_FAULTS));
    return check(given);
  };
}

/** The parts of a JSON schema that say where null is allowed. */
interface Shape {
  anyText?: boolean;
  writeOnly?: boolean;
  type?: string | readonly string[];
  properties?: Readonly<Record<string, Shape>>;
  required?: readonly string[];
  items?: Shape;
  anyOf?: readonly Shape[];
  oneOf?: readonly Shape[];
  enum?: readonly unknown[];
  const?: unknown;
}

function withoutNulls(schema: Shape, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => withoutNulls(items, item)) : value;
  }
  const { properties, required = [] } = schema;
  if (typeof value !== 'object' || value === null || !properties) return value;
  const given: [string, unknown][] = [];
  for (const [name, field] of Object.entries(value)) {
    const shape = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (field === null && shape && !required.includes(name) && !takesNull(shape)) continue;
    given.push([name, shape ? withoutNulls(shape, field) : field]);
  }
  return Object.fromEntries(given);
}

function takesNull(shape: Shape): boolean {
  const { type, anyOf, oneOf, enum: values } = shape;
  const either = anyOf ?? oneOf;
  if (either) return either.some(takesNull);
  if (values) return values.includes(null);
  if (shape.const !== undefined) return shape.const === null;
  return type === undefined || [type].flat().includes('null');
}

type ParametersShape = {
  properties?: Readonly<Record<string, { type?: string; default?: unknown }>>;
  required?: readonly string[];
};

/** A validator of query and path parameters, which arrive as text; it fills in defaults. */
export function parameterValidator(schema: TSchema): Validator {
  const { properties = {} } = schema as ParametersShape;
  return toValidator(
    () => parameters.compile(schema),
    (value) =>
      Object.fromEntries(
        Object.entries(value as object).map(([name, given]) => [
          name,
          readText(given, Object.hasOwn(properties, name) ? properties[name]?.type : undefined),
        ]),
      ),
  );
}

/**
 * For the query of an API: as {@link parameterValidator}, but drops an optional parameter that is blank (or null, in
 * calls written as JSON), as clients with templates send it, and says of one that came twice that it did.
 */
export function queryValidator(schema: TSchema): Validator {
  const { properties = {}, required = [] } = schema as ParametersShape;
  const check = parameterValidator(schema);
  const isOptional = (name: string) =>
    Object.hasOwn(properties, name) &&
    (!required.includes(name) || 'default' in (properties[name] ?? {}));
  const isRepeated = ([name, given]: [string, unknown]) =>
    Array.isArray(given) && Object.hasOwn(properties, name) && properties[name]?.type !== 'array';
  return (value) => {
    const given = Object.entries(value as object);
    const repeated = given.filter(isRepeated);
    if (repeated.length > 0) {
      throw invalid(repeated.map(([name]) => ({ path: `/${name}`, message: 'must be one value' })));
    }
    return check(
      Object.fromEntries(
        given.filter(([name, text]) => !(text === '' || text === null) || !isOptional(name)),
      ),
    );
  };
}

/** Plain decimal digits only, and few enough to be exact: no exponents, no infinities, no hexadecimal. */
const INTEGER = /^-?\d{1,15}$/;

/** A value that is not of its type stays text, so that the schema reports it. */
function readText(given: unknown, type: string | undefined): unknown {
  if (typeof given !== 'string') return given;
  if (type === 'integer' && INTEGER.test(given)) return Number(given);
  if (type === 'boolean' && /^(true|false)$/.test(given)) return given === 'true';
  return given;
}

/** Compiles a schema at its first use: a process uses few of them, so it starts faster. */
function toValidator(
  compile: () => ValidateFunction,
  prepare: (value: unknown) => unknown,
): Validator {
  let check: ValidateFunction | undefined;
  return (given) => {
    check ??= compile();
    const value = prepare(given);
    if (!check(value)) throw invalid(toFaults(check.errors ?? []).slice(0, MAX_FAULTS));
    return value;
  };
}

/**
 * Faults as callers read them: of a field with alternatives (`anyOf`) one, that names all of them. Looks at a bounded
 * number, however many parts of a body are wrong.
 */
function toFaults(all: readonly ErrorObject[]): FieldError[] {
  const errors = all.slice(0, MAX_READ);
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf');
  const alternatives = new Map(choices.map((choice) => [choice, new Set<string>()]));
  const own = errors.filter((error) => {
    const choice = choices.find(
      ({ instancePath, schemaPath }) =>
        error.instancePath === instancePath && error.schemaPath.startsWith(`${schemaPath}/`),
    );
    if (choice) alternatives.get(choice)?.add(toFault(error).message);
    return !choice;
  });
  return own.map((error) => {
    const messages = [...(alternatives.get(error) ?? [])];
    return messages.length === 0
      ? toFault(error)
      : { path: error.instancePath, message: messages.join(' or ') };
  });
}

function toFault(error: ErrorObject): FieldError {
  const missing = error.keyword === 'required' ? `/${error.params.missingProperty}` : '';
  if (missing) return { path: error.instancePath + missing, message: 'is required' };
  if (error.keyword === 'enum') {
    return {
      path: error.instancePath,
      message: `must be one of ${error.params.allowedValues.join(', ')}`,
    };
  }
  const words =
    IN_WORDS.get(error.params.pattern ?? error.params.format) ??
    BOUNDS[error.keyword]?.(error.params as Bound);
  return { path: error.instancePath, message: words ?? error.message ?? 'is not valid' };
}

type Bound = { limit: number; type: string | string[] };

const withArticle = (type: string) =>
  type === 'null' ? type : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;

const atLeast = (limit: number, unit: string) =>
  limit === 1 ? 'must not be empty' : `must have at least ${limit} ${unit}s`;

const atMost = (limit: number, unit: string) =>
  `must have at most ${limit} ${unit}${limit === 1 ? '' : 's'}`;

/** What is said of a value that is of another type, or beyond a bound, by the keyword of its schema. */
const BOUNDS: Readonly<Record<string, (params: Bound) => string>> = {
  type: ({ type }) => `must be ${[type].flat().map(withArticle).join(' or ')}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  minLength: ({ limit }) => atLeast(limit, 'character'),
  maxLength: ({ limit }) => atMost(limit, 'character'),
  minItems: ({ limit }) => atLeast(limit, 'item'),
  maxItems: ({ limit }) => atMost(limit, 'item'),
};

/** What is said of a text that is not of one of these formats or patterns. */
const IN_WORDS = new Map<string, string>([
  ['date', 'must be a date such as 2026-01-31'],
  ['date-time', 'must be a date-time such as 2026-01-31T09:30:00Z'],
  ['email', 'must be an email address'],
  ['uri', 'must be an address such as https://example.com/'],
  [ONE_LINE, NOT_ONE_LINE],
  [COUNTRY_CODE, 'must be two capital letters (ISO 3166-1), such as DE'],
  [CURRENCY_CODE, 'must be three capital letters (ISO 4217), such as USD'],
  [COLOR, 'must be a color such as #3346d3'],
  [SHA256_HEX, 'must be 64 digits and letters from a to f'],
  [JOB_NUMBER, 'must be the number of a job, such as 41'],
  [LIST_NAME, 'must be up to 32 lowercase letters, digits and hyphens, such as ofac-sdn'],
  [SPAN, 'must be a span such as 90s, 30m, 1h or 7d'],
  [
    NAME_PATTERN,
    'must be up to 64 letters, digits, spaces, dots, hyphens and underscores, begin with a letter or digit, and not with whe_',
  ],
  [HTTP_URL, 'must be an address that begins with https:// or http://'],
]);
