import anyAscii from 'any-ascii';
import { findEntry, type Language } from './dictionary.ts';
import { isLatin } from './text-analysis.ts';

/** Patterns, each with its replacement. */
type Rules = readonly (readonly [pattern: RegExp, replacement: string])[];

/** Rules that merge equivalent Latin spellings. */
const SPELLINGS: Readonly<Partial<Record<Language, Rules>>> = {
  ar: spellings(
    `7'>kh 5>kh 7>h [32]'?> 6>t 8>gh 9>s q>k ch>sh dh>d g(?!h)>j (?<=.)(ah|eh|e)$>a (ee|ie|ei|ey|ai|ay|e)>i
     (oo|ou|o)>u iy(?=[aiu])>i`,
  ),
  hi: spellings('ee>i oo>u ei>e iy(?=[aeou])>i w>v ph>f z>j chh>ch q>k x>ks m(?=[pb])>n'),
  ja: spellings('ou>o si>shi tu>tsu ti>chi (?<![sc])hu>fu zi>ji m(?=[pb])>n'),
  ru: spellings('shch>sh sch>sh kh>h t[sz]>c x>ks w>v [yj]e>e [yj]>i'),
  zh: spellings('v>u'),
};

function spellings(text: string): Rules {
  return text.split(/\s+/).map((rule) => {
    const [pattern = '', plain = ''] = rule.split('>');
    return [new RegExp(pattern, 'g'), plain];
  });
}

/** Returns the dictionaries' spelling of a romanized word: `dukan` for `dukaan`. */
export function plainSpelling(text: string, language: Language): string {
  const rules = SPELLINGS[language];
  if (!rules || !/^[a-z0-9 ]+$/.test(text)) return text;
  return text.replace(/[a-z0-9]*[a-z][a-z0-9]*/g, (word) =>
    respell(word, rules).replace(/(.)\1+/g, '$1'),
  );
}

function respell(word: string, rules: Rules): string {
  return rules.reduce((spelled, [pattern, other]) => spelled.replace(pattern, other), word);
}

const RUSSIAN = spellings(
  `shch>щ sch>щ zh>ж kh>х ch>ч sh>ш t[sz]>ц (?<=[aeiouy])y(?![aeou])>и (?<=[b-df-hk-np-tv-xz])y(?=e)>ы
   [yj]u>ю [yj]a>я [yj][eo]>е a>а b>б v>в w>в g>г d>д
   e>е z>з [ij]>и k>к l>л m>м n>н o>о p>п r>р s>с t>т u>у f>ф h>х c>ц y>ы x>кс`,
);

/** Returns possible Cyrillic spellings of a romanized Russian word, likeliest first; romanization loses soft signs. */
export function cyrillicForms(word: string): string[] {
  if (!/^[a-z]+$/.test(word)) return [];
  const plain = respell(word, RUSSIAN);
  const soft = plain.replace(/л(?=[^аеиоуыюялэ]|$)/g, 'ль').replace(/т$/, 'ть');
  return [plain, soft, `${plain}ь`, plain.replace(/^е/, 'э')].filter((form) => !/[a-z]/.test(form));
}

/** Scripts whose letters tell the sounds of a word, unlike Arabic and Thai. */
const SOUNDED =
  /^[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}\p{sc=Georgian}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Devanagari}ー0-9]+$/u;
/** Rules for folded letters, as `any-ascii` reads each by itself: й is folded to и, a Hindi consonant has a vowel. */
const LETTERS: Rules = [
  [/[ъь]/g, ''],
  [/^и(?=[аеоу])/g, 'y'],
  [/ου/g, 'ou'],
  [/(?<=[αε])υ/g, 'v'],
  [/([क-ह])(?![ऺ-्]|$)/g, '$1a'],
  [/[शष]/g, 'sh'],
  [/ं/g, 'n'],
  [/[っッ]/g, '*'],
  [/[ぁぃぅぇぉゃゅょァィゥェォャュョ]/g, '~$&'],
];
/** Rules for their sounds: 한국 is hanguk, キャ kya, ファ fa, ッチ tchi. */
const SOUNDS: Rules = [
  [/(?<=[A-Z][a-z]*[aeiou])g(?=[A-Z]|$)/g, 'k'],
  [/(?<=[A-Z][a-z]*[aeiou])d(?=[A-Z]|$)/g, 't'],
  [/(?<=[A-Z][a-z]*[aeiou])b(?=[A-Z]|$)/g, 'p'],
  [/(sh|ch|j)i~y/g, '$1'],
  [/i~y/g, 'y'],
  [/[aeiou]~/g, ''],
  [/\*ch/g, 'tch'],
  [/\*(\w)/g, '$1$1'],
  [/[^A-Za-z0-9]/g, ''],
];
/** The other common spelling: `taxi` for `taksi`, `tokyo` for `toukyou`. */
const SHORTER: Rules = [
  [/shch/g, 'sch'],
  [/kh/g, 'h'],
  [/ts/g, 'c'],
  [/ks/g, 'x'],
  [/ou|oo/g, 'o'],
  [/uu/g, 'u'],
];

/**
 * Returns how names spell a folded word of another script in Latin letters: as it sounds, and as a dictionary reads it.
 * Empty for Latin words and those of unknown sound.
 */
export function latinForms(word: string): string[] {
  if (isLatin(word)) return [];
  const sounded = SOUNDED.test(word)
    ? [respell(anyAscii(respell(word, LETTERS)), SOUNDS).toLowerCase()]
    : [];
  const forms = [...sounded, ...(findEntry(word)?.readings ?? [])];
  return [...new Set(forms.flatMap((form) => [form, respell(form, SHORTER)]))];
}
