import { beginsEntry, findEntry, type Language } from './dictionary.ts';
import { lemmasOf } from './inflections.ts';

/** A word inside a longer one. */
export interface ForeignPart {
  text: string;
  english: readonly string[];
}

const SHORTEST_PART = 4;
const SHORTEST_LAST = 3;
const MOST_PARTS = 3;
const LONGEST_PART = 20;
/** Linking elements between the parts of a German or Dutch compound: the s of `Gesundheitspraxis`. */
const LINKS = { de: ['', 's', 'n', 'en', 'e', 'er', 'es'], nl: ['', 's', 'n', 'en', 'e'] } as const;
type Compounding = keyof typeof LINKS;

/** Returns whether a language joins words into longer ones. */
export function isCompounding(language: Language): language is Compounding {
  return language in LINKS;
}

/**
 * Splits a folded word into two or three words of a language: `hundeschule` into `hund` and `schule`. Undefined if a
 * remainder is left.
 */
export function splitForeign(
  rest: string,
  language: Compounding,
  most: number = MOST_PARTS,
): ForeignPart[] | undefined {
  let best: ForeignPart[] | undefined;
  const longest = Math.min(LONGEST_PART, rest.length - SHORTEST_LAST);
  for (let size = SHORTEST_PART; size <= longest; size += 1) {
    const text = rest.slice(0, size);
    if (!beginsEntry(text)) break;
    const english = englishOf(text, language);
    if (english.length === 0) continue;
    for (const link of LINKS[language]) {
      const behind = rest.slice(size + link.length);
      if (!rest.startsWith(link, size) || behind.length < SHORTEST_LAST) continue;
      const last = lastPart(behind, language);
      const parts = last ? [last] : most > 2 ? splitForeign(behind, language, most - 1) : undefined;
      // Prefer fewer parts, then a longer first part.
      if (parts && parts.length + 1 <= (best?.length ?? MOST_PARTS)) {
        best = [{ text, english }, ...parts];
      }
    }
  }
  return best;
}

/** Finds the last part, the only one that is inflected. */
function lastPart(text: string, language: Language): ForeignPart | undefined {
  const exact = englishOf(text, language);
  if (exact.length > 0) return { text, english: exact };
  if (text.length <= SHORTEST_PART) return undefined;
  for (const lemma of lemmasOf(text, language)) {
    const english = englishOf(lemma, language);
    if (english.length > 0) return { text, english };
  }
  return undefined;
}

function englishOf(text: string, language: Language): readonly string[] {
  const entry = findEntry(text);
  if (entry?.guesses.has(language)) return [];
  return entry?.meanings.get(language) ?? [];
}
