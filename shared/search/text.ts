/** The one normal form of text in the index and in queries: lower case, no accents, words between single spaces. */
export function foldText(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();
}

/** The words of a text, folded; none for an empty one. */
export function wordsOf(text: string): string[] {
  const folded = foldText(text);
  return folded === '' ? [] : folded.split(' ');
}

/** Words that carry no meaning of their own in a query, unless it has no others. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about an and any are as at be by can do for from get good great has have how i in into is it its
   like me my need of on or our some something that the their them this to us want we what which who
   with you your domain domains name names website websites site sites com`.split(/\s+/),
);

/** A light stem for comparing words in memory: plurals and the commonest endings. */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const singular = word
    .replace(/ies$/, 'y')
    .replace(/(ss|sh|ch|x|z)es$/, '$1')
    .replace(/([^su])s$/, '$1');
  const bare = singular.replace(/(ing|ed|er|ly)$/, '');
  if (bare.length < 4) return singular.replace(/e$/, '');
  return bare.replace(/([bdgklmnprt])\1$/, '$1').replace(/e$/, '');
}

/** Trigram similarity of two words, 0 to 1 (Dice), as tolerant of a slip of the finger as of an ending. */
export function similarity(a: string, b: string): number {
  if (a === b) return 1;
  const left = trigrams(a);
  const right = trigrams(b);
  let common = 0;
  for (const gram of left) if (right.has(gram)) common += 1;
  return (2 * common) / (left.size + right.size);
}

function trigrams(word: string): Set<string> {
  const padded = `  ${word} `;
  const grams = new Set<string>();
  for (let at = 0; at + 3 <= padded.length; at += 1) grams.add(padded.slice(at, at + 3));
  return grams;
}
