import { invalid } from '../../shared/platform/errors.ts';

/** A comma-separated parameter as the words that it may name; null without one. @throws validation_error */
export function parseEnumList<W extends string>(
  path: string,
  text: string | undefined,
  known: readonly W[],
): W[] | null {
  if (text === undefined) return null;
  const words = text.split(',').map((part) => known.find((word) => word === part.trim()));
  if (words.every((word) => word !== undefined)) return [...new Set(words)];
  throw invalid([{ path, message: `must name any of ${known.join(', ')}` }]);
}
