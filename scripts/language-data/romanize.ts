/** Cyrillic as English readers write it (BGN/PCGN without its diacritics); keys are folded, so й is и and ё is е. */
const CYRILLIC = bySign(
  `абвгдежзиклмнопрстуф a b v g d e zh z i k l m n o p r s t u f|хцчшщыэюя kh ts ch sh shch y e yu ya|ъь - -
  |іїєґўјљњћђџѓќѕ i i ye g u j lj nj c dj dz g k dz`,
);
/** Other common spellings of the same letters. */
const CYRILLIC_VARIANT = new Map([...CYRILLIC, ...bySign('хцщыюяжє h c sch i ju ja j e')]);
const GREEK = bySign(
  'αβγδεζηικλμνοπρστυω a v g d e z i i k l m n o p r s t y o|θξφχψ th x f ch ps',
);
/** Hepburn, row by row. */
const KANA = bySign(
  `あいうえお a i u e o|かきくけこ ka ki ku ke ko|がぎぐげご ga gi gu ge go|さしすせそ sa shi su se so|ざじずぜぞ za ji zu ze zo
  |たちつてと ta chi tsu te to|だぢづでど da ji zu de do|なにぬねの na ni nu ne no|はひふへほ ha hi fu he ho|ばびぶべぼ ba bi bu be bo
  |ぱぴぷぺぽ pa pi pu pe po|まみむめも ma mi mu me mo|やゆよゃゅょ ya yu yo ya yu yo|らりるれろ ra ri ru re ro|わゐゑをんゔ wa i e o n vu
  |ぁぃぅぇぉ a i u e o`,
);
/** Folded Devanagari as people type Hindi. */
const CONSONANTS = bySign(
  `कखगघङ k kh g gh n|चछजझञ ch chh j jh n|टठडढण t th d dh n|तथदधन t th d dh n|पफबभम p ph b bh m|यरलळव y r l l v|शषसह sh sh s h`,
);
const VOWELS = bySign(
  `अआइईउऊऋएऐओऔऑऍ a a i i u u ri e ai o au o e|ािीुूृेैोौॉॅ a i i u u ri e ai o au o e|ंः n h`,
);
const VIRAMA = '्';

/** Parses rows of characters and their sounds; a hyphen means silent. */
function bySign(rows: string): ReadonlyMap<string, string> {
  const pairs = rows.split('|').flatMap((row) => {
    const [signs = '', ...sounds] = row.trim().split(' ');
    return Array.from(signs, (sign, at): [string, string] => [
      sign,
      sounds[at]?.replace('-', '') ?? '',
    ]);
  });
  return new Map(pairs);
}

/** Romanizes a folded word in Cyrillic, Greek, Devanagari or kana; undefined for other scripts. */
export function romanize(word: string): string | undefined {
  if (/^[\p{sc=Devanagari}0-9]+$/u.test(word)) return romanizeHindi(word);
  if (/^[\p{sc=Cyrillic}0-9]+$/u.test(word)) return replaceSigns(word, CYRILLIC);
  if (/^[\p{sc=Greek}0-9]+$/u.test(word)) return replaceSigns(word, GREEK);
  if (/^[\p{sc=Hiragana}\p{sc=Katakana}ー・0-9]+$/u.test(word)) return romanizeKana(word);
  return undefined;
}

/** Returns all common romanizations of a word, the usual one first. */
export function romanizations(word: string): string[] {
  const usual = romanize(word);
  if (usual === undefined) return [];
  if (!/\p{sc=Cyrillic}/u.test(word)) return [usual];
  return [...new Set([usual, replaceSigns(word, CYRILLIC_VARIANT)])];
}

function replaceSigns(word: string, table: ReadonlyMap<string, string>): string {
  return Array.from(word.toLowerCase(), (sign) => table.get(sign) ?? sign).join('');
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
    // A long vowel is typed once: `ramen` for ラーメン.
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

/** An inherent `a` follows each consonant but is silent at the end and between two sounded ones. */
function romanizeHindi(word: string): string {
  const parts: { consonant: string; vowel: string | null }[] = [];
  for (const sign of word) {
    const last = parts.at(-1);
    const vowel = VOWELS.get(sign);
    if (sign === VIRAMA) {
      if (last) last.vowel = '';
    } else if (vowel === undefined) {
      const consonant = CONSONANTS.get(sign) ?? sign;
      parts.push({ consonant, vowel: CONSONANTS.has(sign) ? null : '' });
    } else if ('ंः'.includes(sign) && last) last.vowel = `${last.vowel ?? 'a'}${vowel}`;
    else if (last && /\p{M}/u.test(sign)) last.vowel = vowel;
    else parts.push({ consonant: '', vowel });
  }
  for (let at = parts.length - 1; at > 0; at -= 1) {
    const part = parts[at];
    const next = parts[at + 1];
    if (part?.vowel !== null) continue;
    const isSilent = next
      ? parts[at - 1]?.vowel !== '' && next.vowel !== '' && next.consonant
      : true;
    part.vowel = isSilent ? '' : 'a';
  }
  return parts.map(({ consonant, vowel }) => consonant + (vowel ?? 'a')).join('');
}
