import { plainLine } from '../../platform/plain-line.ts';

const MAX_NAME_LENGTH = 60;

/**
 * Returns a person's self-chosen name for a greeting. Returns null if there is none, or if it looks like a link or an
 * address: mail that we sign must not carry other people's advertising.
 */
export function nameOfPerson(name: string | null): string | null {
  if (name === null) return null;
  const clean = plainLine(name, MAX_NAME_LENGTH);
  return clean === '' || /[/\\@<>]|\bwww\.|\p{L}{2,}\.\p{L}{2,}/iu.test(clean) ? null : clean;
}
