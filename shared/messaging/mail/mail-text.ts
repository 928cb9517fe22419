import { plainLine } from '../../platform/plain-line.ts';

const MAX_NAME_LENGTH = 60;

/**
 * A name that somebody chose for himself, fit for a greeting; null for none, and for what would read as a link or an
 * address: mail that we sign must not carry other people's advertisements.
 */
export function nameOfPerson(name: string | null): string | null {
  if (name === null) return null;
  const clean = plainLine(name, MAX_NAME_LENGTH);
  return clean === '' || /[/\\@<>]|\bwww\.|\p{L}{2,}\.\p{L}{2,}/iu.test(clean) ? null : clean;
}
