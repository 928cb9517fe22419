import { type TStringOptions, Type } from 'typebox';
import { type FieldError, invalid } from './errors.ts';

/**
 * Characters that end a line, control a terminal or a mail, or change the reading order of a line. Spelled out because
 * the API documents have this pattern too, for languages without names for character classes.
 */
const NOT_OF_A_LINE = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069';
const OUTSIDE = new RegExp(`[${NOT_OF_A_LINE}]`);

/** The pattern of single-line text. */
export const ONE_LINE = `^[^${NOT_OF_A_LINE}]*$`;

/** The message for text that does not match {@link ONE_LINE}. */
export const NOT_ONE_LINE = 'must be one line, without control characters';

/** The schema of single-line text: a name, a label, a reference, an id. */
export const oneLineText = (options: Omit<TStringOptions, 'pattern'>) =>
  Type.String({ ...options, pattern: ONE_LINE });

/** Returns what is wrong with a text, or with a text of a list, that must be one line. */
export function oneLineFaults(path: string, given: unknown): FieldError[] {
  if (Array.isArray(given)) {
    return given.flatMap((each, at) => oneLineFaults(`${path}/${at}`, each));
  }
  if (typeof given !== 'string' || !OUTSIDE.test(given)) return [];
  return [{ path, message: NOT_ONE_LINE }];
}

/** @throws validation_error for text that is not one line */
export function requireOneLine(path: string, given: string | null | undefined): void {
  const faults = oneLineFaults(path, given);
  if (faults.length > 0) throw invalid(faults);
}
