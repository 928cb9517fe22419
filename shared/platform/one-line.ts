import { type FieldError, invalid } from './errors.ts';

/** What ends a line, steers a terminal or a mail, or turns the order in which a line is read. */
const NOT_OF_A_LINE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** What is wrong with text, or with one of a list, that has to be one line: a name, a label, a reference. */
export function oneLineFaults(path: string, given: unknown): FieldError[] {
  if (Array.isArray(given)) {
    return given.flatMap((each, at) => oneLineFaults(`${path}/${at}`, each));
  }
  if (typeof given !== 'string' || !NOT_OF_A_LINE.test(given)) return [];
  return [{ path, message: 'must be one line, without control characters' }];
}

/** @throws validation_error for text that is not one line */
export function requireOneLine(path: string, given: string | null | undefined): void {
  const faults = oneLineFaults(path, given);
  if (faults.length > 0) throw invalid(faults);
}
