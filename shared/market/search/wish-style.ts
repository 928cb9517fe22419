import { stem } from './language/stem.ts';
import { thesaurus } from './language/thesaurus.ts';

/** What a word that is only spoken of with a style has of it. */
const RELATED = 0.8;

/**
 * How much a label has the style that was wished in so many words, 0 to 1, by the word that has most: "velvet" and
 * "regal" are elegant. Null when nothing was wished.
 */
export function styleMatcher(wished: readonly string[]): ((labelWords: string) => number) | null {
  if (wished.length === 0) return null;
  const { groupsOf, stemsOf } = thesaurus();
  const worths = new Map<string, number>();
  for (const style of wished.map(stem)) {
    for (const [group, membership] of groupsOf(style)) {
      if (membership !== 'core') continue;
      const { core, related } = stemsOf(group);
      for (const each of related) if (!worths.has(each)) worths.set(each, RELATED);
      for (const each of core) worths.set(each, 1);
    }
    worths.set(style, 1);
  }
  return (labelWords) =>
    Math.max(...labelWords.split(' ').map((word) => worths.get(stem(word)) ?? 0));
}
