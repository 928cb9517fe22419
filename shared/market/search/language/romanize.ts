import type { Language } from './dictionary.ts';

/** Rules that merge equivalent Latin spellings: patterns, each with its replacement. */
const SPELLINGS: Readonly<Partial<Record<Language, readonly (readonly [RegExp, string])[]>>> = {
  ar: spellings(
    `7'>kh 5>kh 7>h [32]'?> 6>t 8>gh 9>s q>k ch>sh dh>d g(?!h)>j (?<=.)(ah|eh|e)$>a (ee|ie|ei|ey|ai|ay|e)>i
     (oo|ou|o)>u iy(?=[aiu])>i`,
  ),
  hi: spellings('ee>i oo>u ei>e iy(?=[aeou])>i w>v ph>f z>j chh>ch q>k x>ks m(?=[pb])>n'),
  ja: spellings('ou>o si>shi tu>tsu ti>chi (?<![sc])hu>fu zi>ji m(?=[pb])>n'),
  ru: spellings('shch>sh sch>sh kh>h t[sz]>c x>ks w>v [yj]e>e [yj]>i'),
  zh: spellings('v>u'),
};

function spellings(text: string): (readonly [RegExp, string])[] {
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

function respell(word: string, rules: readonly (readonly [RegExp, string])[]): string {
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
