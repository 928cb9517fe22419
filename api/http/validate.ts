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

/** Marks a field that {@link oneLineValidator} allows to contain line breaks, such as a note. */
export const ANY_TEXT = { anyText: true } as const;

/** A schema keyword: people see the field, but a command does not take it as an argument. */
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
  // What people read in place of the description.
  ajv.addKeyword('hint');
  ajv.addFormat('date', (text) => date.validate(text) && isInRange(text));
  ajv.addFormat('date-time', (text) => dateTime.validate(text) && isInRange(text));
}

/** The exclusive end of the year 9999: ISO 8601 and Postgres write later years differently. */
const END_OF_DATES = Date.UTC(10_000, 0, 1);

/**
 * Returns whether an instant is in the years 1970 to 9999. Also false for RFC 3339 forms that `Date` cannot represent:
 * leap seconds and offsets without minutes.
 */
function isInRange(text: string): boolean {
  const at = Date.parse(text);
  return at >= 0 && at < END_OF_DATES;
}

/**
 * The maximum number of faults in one response, so that thousands of bad items do not cause a response of megabytes.
 */
const MAX_FAULTS = 50;
/** How many validator errors are read to collect the faults: each alternative of a field has its own errors. */
const MAX_READ = 500;

/** Checks one part of a request; throws `validation_error` with its faults. */
export type Validator = (value: unknown) => unknown;

/**
 * Returns a validator for bodies, which coerces nothing. Null in a non-nullable optional field counts as missing:
 * clients in many languages send it that way.
 */
export function bodyValidator(schema: TSchema): Validator {
  return toValidator(
    () => bodies.compile(schema),
    (value) => withoutNulls(schema as Shape, value ?? {}),
  );
}

/**
 * Returns a validator for text that people type and others read (names, references, labels): as `check`, but each text
 * must be one line unless its field is {@link ANY_TEXT} or a secret.
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

/** The parts of a JSON schema that show where null is allowed. */
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

/** Returns a validator for query and path parameters, which arrive as text; it fills in defaults. */
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
 * Returns a validator for API queries: as {@link parameterValidator}, but it drops optional parameters that are blank,
 * as clients with templates send them (or null, in calls written as JSON), and refuses repeated ones.
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

/** Plain decimal digits, few enough to be exact: no exponents, infinities or hexadecimal. */
const INTEGER = /^-?\d{1,15}$/;

/** Leaves a value that does not match its type as text, so that the schema reports it. */
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
 * Converts validator errors into faults for callers: a field with alternatives (`anyOf`) gets one fault that lists them
 * all. Reads a bounded number of errors, however many parts of a body are wrong.
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
      : { path: error.instancePath, message: eitherOf(messages) };
  });
}

/** `must be a string or null`, from `must be a string` and `must be null`. */
function eitherOf([first = '', ...others]: readonly string[]): string {
  const rest = first.startsWith('must be ')
    ? others.map((other) => other.replace(/^must be /, ''))
    : others;
  return [first, ...rest].join(' or ');
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

/** Messages for values of the wrong type or out of bounds, by schema keyword. */
const BOUNDS: Readonly<Record<string, (params: Bound) => string>> = {
  type: ({ type }) => `must be ${[type].flat().map(withArticle).join(' or ')}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  minLength: ({ limit }) => atLeast(limit, 'character'),
  maxLength: ({ limit }) => atMost(limit, 'character'),
  minItems: ({ limit }) => atLeast(limit, 'item'),
  maxItems: ({ limit }) => atMost(limit, 'item'),
};

/** Messages for text that does not match one of these formats or patterns. */
const IN_WORDS = new Map<string, string>([
  ['date', 'must be a date such as 2026-01-31'],
  ['date-time', 'must be a date-time such as 2026-01-31T09:30:00Z'],
  [
    'email',
    'must be an email address; write an internationalized domain in its ASCII form (xn--…)',
  ],
  ['uri', 'must be an address such as https://example.com/'],
  [ONE_LINE, NOT_ONE_LINE],
  [COUNTRY_CODE, 'must be two capital letters (ISO 3166-1), such as DE'],
  [CURRENCY_CODE, 'must be three capital letters (ISO 4217), such as USD'],
  [COLOR, 'must be a color such as #3346d3'],
  [SHA256_HEX, 'must be 64 hexadecimal digits'],
  [JOB_NUMBER, 'must be the number of a job, such as 41'],
  [LIST_NAME, 'must be up to 32 lowercase letters, digits and hyphens, such as ofac-sdn'],
  [SPAN, 'must be a duration such as 90s, 30m, 1h or 7d'],
  [
    NAME_PATTERN,
    'must be up to 64 letters, digits, spaces, dots, hyphens and underscores, begin with a letter or digit, and not with whe_',
  ],
  [HTTP_URL, 'must be an address that begins with https:// or http://'],
]);
