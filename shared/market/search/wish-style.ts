import { stem } from './language/stem.ts';
import { type Meaning, meaningOf, nearness } from './meaning/meaning.ts';
import { memoize } from './memoize.ts';
import { STYLE_WORDS } from './understanding/wish-phrases.ts';

/** How much nearer a word is to a style than to others before it counts, and to count fully. */
const STYLED = { from: 0.14, full: 0.3 } as const;

/**
 * How much a label has the style that was wished in so many words, 0 to 1, by the word that has most: "velvet" and
 * "regal" are elegant. Null when nothing is known of the words.
 */
export function styleMatcher(wished: readonly string[]): ((labelWords: string) => number) | null {
  const style = wished.length === 0 ? null : meaningOfWords(wished);
  if (!style) return null;
  const others = meanOfStyles();
  // Words that are near to any style say little of this one.
  const direction = style.map((value, at) => value - (others[at] as number));
  const styleOf = memoize((word) => {
    const meaning = meaningOfWords([word]);
    const excess = meaning ? nearness(direction, meaning) : 0;
    return Math.min(1, Math.max(0, (excess - STYLED.from) / (STYLED.full - STYLED.from)));
  });
  return (labelWords) => Math.max(...labelWords.split(' ').map(styleOf));
}

function meaningOfWords(words: readonly string[]): Meaning | null {
  return meaningOf(words.map((word) => ({ stem: stem(word), weight: 1 })));
}

let mean: Float32Array | undefined;

/** The mean of the meanings of all words for styles. */
function meanOfStyles(): Float32Array {
  if (!mean) {
    const meanings = [...STYLE_WORDS].flatMap((word) => meaningOfWords([word]) ?? []);
    mean = new Float32Array(meanings[0]?.length ?? 0);
    for (const meaning of meanings) {
      for (const [at, value] of meaning.entries()) {
        mean[at] = (mean[at] as number) + value / meanings.length;
      }
    }
  }
  return mean;
}
