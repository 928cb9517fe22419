/** A pattern of a name's letters, as SQL regular expressions on the label as written. */
export interface LetterPattern {
  /** As it is shown: `CVCV`, `palindrome`, `b??`. */
  name: string;
  written?: readonly string[];
  notWritten?: readonly string[];
}

const VOWELS = 'aeiouàáâãäåæèéêëìíîïòóôõöøùúûü';
/** Letter, digit (a number), vowel and consonant, as traders abbreviate them. */
const SIGN_CLASSES: Readonly<Record<string, { name: string; written: string }>> = {
  L: { name: 'letter', written: '[^0-9-]' },
  N: { name: 'digit', written: '[0-9]' },
  V: { name: 'vowel', written: `[${VOWELS}]` },
  C: { name: 'consonant', written: `[^${VOWELS}0-9-]` },
};
const { L, N, V, C } = Object.fromEntries(
  Object.entries(SIGN_CLASSES).map(([key, { written }]) => [key, written]),
) as Record<'L' | 'N' | 'V' | 'C', string>;

/** Letters that sound like vowels, and those that don't. */
const SUNG = `[${VOWELS}y]`;
const SILENT = `[^${VOWELS}y0-9-]`;
/** Half the length of the longest palindromes found. */
const PALINDROME_HALF = 5;
const palindrome = Array.from({ length: PALINDROME_HALF }).reduceRight<string>(
  (inner, _, at) => `(?:([^-])${inner}\\${at + 1}|[^-]?)`,
  '[^-]?',
);

export const PALINDROME: LetterPattern = {
  name: 'palindrome',
  written: ['^...', `^${palindrome}$`],
};

/** Patterns that have a name, and the phrases that ask for them. */
export const NAMED_PATTERNS: readonly (LetterPattern & { said: string })[] = [
  {
    ...PALINDROME,
    said: `palindrome, palindromes, palindromic, a palindrome, reads the same backwards, read the same backwards, reads the same backward, same backwards, same forwards and backwards, same backwards and forwards,
      reads the same forwards and backwards, reads the same backwards and forwards, reads the same both ways, same both ways, same in reverse, spelled the same backwards, reads same backwards, same spelled backwards, same forward and backward, same forwards and backwards`,
  },
  {
    name: 'no vowels',
    written: [`^[^${VOWELS}]+$`],
    said: 'no vowels, without vowels, without any vowels, zero vowels, vowelless, vowel free, no vowel, without a vowel',
  },
  {
    name: 'only consonants',
    written: [`^${C}+$`],
    said: 'consonants only, only consonants, all consonants, just consonants, nothing but consonants',
  },
  {
    name: 'only vowels',
    written: [`^${V}+$`],
    said: 'all vowel, vowel only, vowels only, only vowels, all vowels, just vowels, nothing but vowels',
  },
  {
    name: 'repeated letter',
    written: [`(${L})\\1`],
    said: `double letters, double letter, doubled letters, a double letter, repeating letters, repeating letter, repeated letters, repeated letter, a repeated letter, repeat letters`,
  },
  {
    name: 'repeated digit',
    written: [`(${N})\\1`],
    said: 'repeating digits, repeated digits, repeating numbers, repeated numbers, double digits, double numbers, repeat digits, repeat numbers, repeating digit, repeated digit',
  },
  {
    name: 'three in a row',
    written: ['([^-])\\1\\1'],
    said: 'triple letters, triple letter, tripled letters, a triple letter, triple digits, triple digit, triple numbers',
  },
  {
    name: 'one sign repeated',
    written: ['^([^-])\\1+$'],
    said: 'all the same letter, all same letter, all the same digit, all same digit, same digit repeated, same letter repeated, repdigit, repdigits',
  },
  {
    name: 'one part repeated',
    written: ['^(.+)\\1+$'],
    said: 'repeating pattern, repeating patterns, repeated pattern, repeated part, repeating part, repeated syllable, repeated syllables, repeating syllable, repeating syllables, same syllable twice, repeats itself',
  },
  {
    name: 'no repeated letter',
    notWritten: ['([^-]).*\\1'],
    said: `no repeated letters, no repeating letters, no repeat letters, without repeated letters, without repeating letters, no letter repeated, no letter repeats, no letter twice, no repeated letter, all different letters, all letters different, every letter different,
      only unique letters, all unique letters, isogram, isograms, no repeated digits, no repeating digits, no repeated characters, no repeating characters, no duplicate letters, no repeats, without repeats, no duplicated letters, no letters repeated`,
  },
  {
    name: 'no double letter',
    notWritten: ['([^-])\\1'],
    said: 'no double letters, without double letters, no double letter, no doubled letters, no triple letters',
  },
  {
    name: 'first letter is last letter',
    written: ['^([^-]).*\\1$'],
    said: `same letter at start and end, same letter at the start and end, same letter at the start and the end, same first and last letter, same letter first and last, starts and ends with the same letter, start and end with the same letter,
      starting and ending with the same letter, begins and ends with the same letter, beginning and ending with the same letter, starts and ends with same letter, first and last letter the same, first and last letters the same, first and last letter are the same, first and last letter identical`,
  },
  {
    name: 'letters and digits',
    written: [N, L],
    said: `letters and digits mixed, letters and numbers mixed, mixed letters and digits, mixed letters and numbers, mix of letters and numbers, a mix of letters and numbers, mix of letters and digits, a mix of letters and digits, mix of numbers and letters, mix of digits and letters,
      both letters and digits, both letters and numbers, mixing letters and numbers, mixing letters and digits, letters and digits, letters and numbers, numbers and letters, alphanumeric, alpha numeric, mixed digits and letters`,
  },
  ...(['vowel', 'consonant'] as const).map((sign) => ({
    name: `starts and ends with a ${sign}`,
    written: sign === 'vowel' ? [`^${V}`, `${V}$`] : [`^${C}`, `${C}$`],
    said: `starts and ends with a ${sign}, begins and ends with a ${sign}, starting and ending with a ${sign}, start and end with a ${sign}, beginning and ending with a ${sign}`,
  })),
  {
    name: 'letters and digits by turns',
    written: [`^(${L}${N})+${L}?$|^(${N}${L})+${N}?$`],
    said: 'alternating letters and digits, alternating letters and numbers, alternating digits and letters, alternating numbers and letters',
  },
  {
    name: 'consonants and vowels by turns',
    written: [`^(${C}${V})+${C}?$|^(${V}${C})+${V}?$`],
    said: 'alternating consonants and vowels, alternating vowels and consonants, consonant vowel pattern',
  },
  {
    name: 'lucky digits',
    written: [`^${N}*[68]${N}*$`],
    notWritten: ['4'],
    said: 'lucky numbers, lucky number, lucky digits, chinese lucky numbers, chinese numbers, chinese digits, lucky numeric, lucky chinese numbers, lucky in china, chinese numeric, lucky numerics',
  },
  {
    name: 'no vowels and no v',
    notWritten: [`[${VOWELS}v0-9-]`],
    said: 'chinese premium letters, chinese premium',
  },
  {
    name: 'emoji',
    written: ['[\\u2190-\\u2bff\\U0001f000-\\U0001faff]'],
    said: 'emoji domain, emoji domains, emoji name, emoji names, emoji url, emoji urls, emojis in it, an emoji in it, emoji in it',
  },
  {
    name: 'other than ASCII',
    written: ['[^\\u0001-\\u007f]'],
    said: 'idn, idns, internationalized, non latin, non latin letters, non latin characters, non latin script, non english letters, foreign characters, foreign letters, foreign alphabet, foreign script, unicode characters',
  },
  {
    name: 'one syllable',
    written: [`^${SILENT}*${SUNG}+(${SILENT}+e?)?$`],
    said: 'one syllable, single syllable, 1 syllable, monosyllabic, one syllable only, just one syllable, only one syllable',
  },
  {
    name: 'two syllables',
    written: [`^${SILENT}*${SUNG}+${SILENT}+${SUNG}+(${SILENT}+e?)?$`],
    said: 'two syllables, 2 syllables, two syllable, 2 syllable, only two syllables, just two syllables',
  },
  {
    name: 'at most 2 syllables',
    written: [`^${SILENT}*${SUNG}+(${SILENT}+${SUNG}+)?(${SILENT}+e?)?$`],
    said: 'max 2 syllables, max two syllables, at most two syllables, at most 2 syllables, two syllables max, 2 syllables max, one or two syllables, two syllables or less, up to two syllables, no more than two syllables',
  },
];

/** No unpronounceable clusters; short names have none at all. */
export const PRONOUNCEABLE: LetterPattern = {
  name: 'pronounceable',
  written: [`[${VOWELS}y]`],
  notWritten: [
    '[bcdfghjklmnpqrstvwxz]{4}',
    '^.{0,2}[bcdfghjklmnpqrstvwxz]{3}.{0,2}$',
    '^[bcdfghjklmnpqrtvwxz][bcdfgjkmpqstvxz]',
    '^[^aeiouy]*[aeiouy]{4}',
  ],
};

/** `CVCV`, `LLNN`: the class of each character. */
export function patternOfClasses(name: string): LetterPattern {
  const signs = Array.from(name, (sign) => SIGN_CLASSES[sign]?.written);
  return { name, written: [`^${signs.join('')}$`] };
}

/** `AABB`: the same letter means the same character, a different letter a different one. */
export function patternOfRepeats(name: string): LetterPattern {
  const letters = [...new Set(name)];
  return {
    name,
    written: [repeats(name)],
    notWritten: letters.flatMap((one, at) =>
      letters.slice(at + 1).map((other) => repeats(name.replaceAll(other, one))),
    ),
  };
}

function repeats(template: string): string {
  const letters = [...new Set(template)];
  const signs = Array.from(template, (letter, at) =>
    template.indexOf(letter) === at ? '([^-])' : `\\${letters.indexOf(letter) + 1}`,
  );
  return `^${signs.join('')}$`;
}

/** `b??`, `*x*y`: `?` is any character, `*` any number of them; all others are letters and digits. */
export function patternOfWildcards(name: string): LetterPattern {
  return { name, written: [`^${name.replaceAll('?', '.').replaceAll('*', '.*')}$`] };
}

/** `at most 1 vowel`. */
export function patternOfCount(sign: string, least: number, most: number | null): LetterPattern {
  const { name = '', written = '' } = SIGN_CLASSES[sign] ?? {};
  const said =
    least === most ? `exactly ${least}` : most === null ? `at least ${least}` : `at most ${most}`;
  const others = written.startsWith('[^') ? `[${written.slice(2)}` : `[^${written.slice(1)}`;
  return {
    name: `${said} ${name}${(most ?? least) === 1 ? '' : 's'}`,
    written: [`^(${others}*${written}){${least},${most ?? ''}}${others}*$`],
  };
}

/** `ends with 2 digits`. */
export function patternOfEdge(sign: string, count: number, isStart: boolean): LetterPattern {
  const { name = '', written = '' } = SIGN_CLASSES[sign] ?? {};
  const signs = written.repeat(count);
  return {
    name: `${isStart ? 'starts' : 'ends'} with ${count === 1 ? `a ${name}` : `${count} ${name}s`}`,
    written: [isStart ? `^${signs}` : `${signs}$`],
  };
}

/** `no 4`. */
export function patternWithout(sign: string): LetterPattern {
  return { name: `no ${sign}`, notWritten: [sign] };
}

/** `starts with a or b`. */
export function patternOfSides(values: readonly string[], isStart: boolean): LetterPattern {
  const any = `(${values.join('|')})`;
  return {
    name: `${isStart ? 'starts' : 'ends'} with ${values.join(' or ')}`,
    written: [isStart ? `^${any}` : `${any}$`],
  };
}
