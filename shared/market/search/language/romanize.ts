/** Cyrillic as English readers write it (BGN/PCGN without its signs); keys are folded, so й is и and ё is е. */
const CYRILLIC: Readonly<Record<string, string>> = {
  ...{ а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', е: 'e', ж: 'zh', з: 'z', и: 'i', к: 'k', л: 'l' },
  ...{ м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'kh', ц: 'ts' },
  ...{ ч: 'ch', ш: 'sh', щ: 'shch', ъ: '', ы: 'y', ь: '', э: 'e', ю: 'yu', я: 'ya' },
  ...{
    і: 'i',
    ї: 'i',
    є: 'ye',
    ґ: 'g',
    ў: 'u',
    ј: 'j',
    љ: 'lj',
    њ: 'nj',
    ћ: 'c',
    ђ: 'dj',
    џ: 'dz',
  },
  ...{ ѓ: 'g', ќ: 'k', ѕ: 'dz' },
};
/** What others type for the same letters. */
const CYRILLIC_VARIANT: Readonly<Record<string, string>> = {
  ...{ х: 'h', ц: 'c', щ: 'sch', ы: 'i', ю: 'ju', я: 'ja', ж: 'j', є: 'e' },
};
const GREEK: Readonly<Record<string, string>> = {
  ...{ α: 'a', β: 'v', γ: 'g', δ: 'd', ε: 'e', ζ: 'z', η: 'i', θ: 'th', ι: 'i', κ: 'k', λ: 'l' },
  ...{ μ: 'm', ν: 'n', ξ: 'x', ο: 'o', π: 'p', ρ: 'r', σ: 's', τ: 't', υ: 'y', φ: 'f', χ: 'ch' },
  ...{ ψ: 'ps', ω: 'o' },
};
/** Hepburn, row by row: of each row its signs and how they sound. */
const KANA: ReadonlyMap<string, string> = new Map(
  [
    ['あいうえお', 'a i u e o'],
    ['かきくけこ', 'ka ki ku ke ko'],
    ['がぎぐげご', 'ga gi gu ge go'],
    ['さしすせそ', 'sa shi su se so'],
    ['ざじずぜぞ', 'za ji zu ze zo'],
    ['たちつてと', 'ta chi tsu te to'],
    ['だぢづでど', 'da ji zu de do'],
    ['なにぬねの', 'na ni nu ne no'],
    ['はひふへほ', 'ha hi fu he ho'],
    ['ばびぶべぼ', 'ba bi bu be bo'],
    ['ぱぴぷぺぽ', 'pa pi pu pe po'],
    ['まみむめも', 'ma mi mu me mo'],
    ['やゆよゃゅょ', 'ya yu yo ya yu yo'],
    ['らりるれろ', 'ra ri ru re ro'],
    ['わゐゑをんゔ', 'wa i e o n vu'],
    ['ぁぃぅぇぉ', 'a i u e o'],
  ].flatMap(([signs = '', sounds = '']) => {
    const all = sounds.split(' ');
    return Array.from(signs, (sign, at): [string, string] => [sign, all[at] ?? '']);
  }),
);

/** How a folded word in Cyrillic, Greek or kana is written in Latin letters; undefined for other scripts. */
export function romanize(word: string): string | undefined {
  if (/^[\p{sc=Cyrillic}0-9]+$/u.test(word)) return replaceSigns(word, CYRILLIC);
  if (/^[\p{sc=Greek}0-9]+$/u.test(word)) return replaceSigns(word, GREEK);
  if (/^[\p{sc=Hiragana}\p{sc=Katakana}ー・0-9]+$/u.test(word)) return romanizeKana(word);
  return undefined;
}

/** All ways in which people write a word in Latin letters, the usual one first. */
export function romanizations(word: string): string[] {
  const usual = romanize(word);
  if (usual === undefined) return [];
  if (!/\p{sc=Cyrillic}/u.test(word)) return [usual];
  return [...new Set([usual, replaceSigns(word, { ...CYRILLIC, ...CYRILLIC_VARIANT })])];
}

function replaceSigns(word: string, table: Readonly<Record<string, string>>): string {
  return Array.from(word.toLowerCase(), (sign) => table[sign] ?? sign).join('');
}

function romanizeKana(word: string): string {
  const hiragana = word.replace(/[ァ-ヴ]/g, (sign) =>
    String.fromCharCode(sign.charCodeAt(0) - 0x60),
  );
  let latin = '';
  let doubled = false;
  for (const sign of hiragana) {
    if (sign === 'っ') {
      doubled = true;
      continue;
    }
    // A long vowel is typed once: `ramen` is ラーメン.
    if (sign === 'ー' || sign === '・') continue;
    let sound = KANA.get(sign) ?? sign;
    if ('ゃゅょ'.includes(sign) && latin.endsWith('i')) {
      latin = latin.slice(0, -1);
      if (/(?:sh|ch|j)$/.test(latin)) sound = sound.slice(1);
    } else if ('ぁぃぅぇぉ'.includes(sign) && /[aeiou]$/.test(latin)) {
      latin = latin.slice(0, -1);
      // ティ is `ti`, シェ is `she`, ファ is `fa`.
    }
    if (doubled) sound = (sound.startsWith('ch') ? 't' : sound.charAt(0)) + sound;
    doubled = false;
    latin += sound;
  }
  return latin;
}
