import { usefulEnglish } from './english.mjs';
import { npmFile } from './sources.mjs';

const LONGEST = 5;
/** Glosses that describe a word or a person instead of translating it. */
const NO_TRANSLATION =
  /^(?:variant|old variant|surname|used in|see |abbr|also written|erhua|\(?(?:dialect|vulgar|archaic|old|slang))|\((?:vulgar|slang|archaic|old|bird species|classical)/i;

/** The kind of place, after its name. */
const PLACE =
  /(?<=^[A-Z]\S+ )(?:autonomous|city|county|district|municipality|prefecture|province|region)\b.*$/;

/**
 * Reads CC-CEDICT: `words` with their English, and their reading if it differs from the readings of their characters;
 * `signs` with the reading of each character; and `variants`, which maps traditional to simplified characters.
 */
export async function readChinese() {
  const { default: data } = await import(npmFile('cc-cedict', 'data/all.js'));
  const words = new Map();
  const signs = new Map();
  const variants = new Map();
  for (const [traditional, simplified, pinyin, gloss] of data.all) {
    if (!/^\p{sc=Han}+$/u.test(simplified)) continue;
    const written = Array.from(simplified);
    const syllables = pinyin.split(' ').map(plainSyllable);
    for (const [at, sign] of Array.from(traditional).entries()) {
      const other = written[at];
      if (sign !== other && other !== undefined && !variants.has(sign)) variants.set(sign, other);
    }
    // A capital marks a name; prefer the reading of the ordinary word.
    if (written.length === 1 && (!signs.has(simplified) || /^[A-Z]/.test(signs.get(simplified)))) {
      signs.set(simplified, pinyin);
    }
    if (written.length > LONGEST) continue;
    // For a name, only the first gloss, which says what it is.
    const glosses = /^[A-Z]/.test(pinyin) ? [gloss].flat().slice(0, 1) : [gloss].flat();
    const english = glosses
      .map((each) => each.replace(PLACE, ''))
      .flatMap((each) => (NO_TRANSLATION.test(each) ? [] : each.split(/[;,]/)))
      .slice(0, /^[A-Z]/.test(pinyin) ? 1 : undefined)
      .map(usefulEnglish)
      .filter((each) => each !== undefined);
    if (english.length === 0) continue;
    const known = words.get(simplified) ?? { english: new Set(), syllables };
    for (const each of english) known.english.add(each);
    words.set(simplified, known);
  }
  for (const [sign, pinyin] of signs) signs.set(sign, plainSyllable(pinyin));
  return {
    words: [...words].map(([word, { english, syllables }]) => {
      const bySign = Array.from(word, (sign) => signs.get(sign)).join('');
      const reading = syllables.join('');
      return { word, english: [...english], reading: reading === bySign ? undefined : reading };
    }),
    signs,
    variants,
  };
}

/** Returns the syllable as people type it: `lu` for `lu:4`. */
const plainSyllable = (syllable) => syllable.toLowerCase().replace(/[^a-z]/g, '');
