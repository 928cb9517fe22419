import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { TSchema } from 'typebox';
import { type FieldFault, invalid } from '../../shared/platform/errors.ts';

const strict = new Ajv2020({ allErrors: true, strict: true, strictRequired: false });
const coercing = new Ajv2020({
  allErrors: true,
  strict: true,
  strictRequired: false,
  coerceTypes: true,
  useDefaults: true,
});
for (const ajv of [strict, coercing])
  addFormats.default(ajv, ['email', 'date', 'date-time', 'uri']);

/** Checks one part of a request; throws `validation_error` with every fault. */
export type Validator = (value: unknown) => unknown;

/** For bodies: what is sent is taken as it is, nothing is coerced. */
export function bodyValidator(schema: TSchema): Validator {
  return toValidator(strict.compile(schema), (value) => value ?? {});
}

/** For query and path parameters, which arrive as text; defaults are filled in. */
export function parameterValidator(schema: TSchema): Validator {
  return toValidator(coercing.compile(schema), (value) => ({ ...(value as object) }));
}

function toValidator(check: ValidateFunction, prepare: (value: unknown) => unknown): Validator {
  return (given) => {
    const value = prepare(given);
    if (!check(value)) throw invalid((check.errors ?? []).map(toFault));
    return value;
  };
}

function toFault(error: ErrorObject): FieldFault {
  const missing = error.keyword === 'required' ? `/${error.params.missingProperty}` : '';
  if (missing) return { path: error.instancePath + missing, message: 'is required' };
  if (error.keyword === 'enum') {
    return {
      path: error.instancePath,
      message: `must be one of ${error.params.allowedValues.join(', ')}`,
    };
  }
  return { path: error.instancePath, message: error.message ?? 'is not valid' };
}
