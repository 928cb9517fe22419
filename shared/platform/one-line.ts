import { type TStringOptions, Type } from 'typebox';
import { type FieldError, invalid } from './errors.ts';

/**
 * What ends a line, steers a terminal or a mail, or turns the order in which a line is read. Spelled out, because it
 * is also a pattern of the API documents, for languages that have no names of classes.
 */
const NOT_OF_A_LINE = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069';
const OUTSIDE = new RegExp(`[${NOT_OF_A_LINE}]`);

/** The pattern of single-line text. */
export const ONE_LINE = `^[^${NOT_OF_A_LINE}]*$`;

/** The message for text that does not match {@link ONE_LINE}. */
export const NOT_ONE_LINE = 'must be one line, without control characters';

/** A text of one line in a schema: a name, a label, a reference, an id. */
export const oneLineText = (options: Omit<TStringOptions, 'pattern'>) =>
  Type.String({ ...options, pattern: ONE_LINE });

/** What is wrong with text, or with one of a list, that has to be one line: a name, a label, a reference. */
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
