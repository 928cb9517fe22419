import { stem } from './language/stem.ts';
import { thesaurus } from './language/thesaurus.ts';

/** The share of a style for a word only related to it. */
const RELATED = 0.8;

/**
 * Returns a function for how well a label fits the requested style words, 0 to 1, by its best word: "velvet" and
 * "regal" are elegant. Null if no style was requested.
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
