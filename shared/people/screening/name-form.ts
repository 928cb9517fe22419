import anyAscii from 'any-ascii';
import { LRUCache } from 'lru-cache';

/** The kind of a party or a list entry. */
export type PartyKind = 'person' | 'entity';

/** A word of a name in its comparable form. */
export interface NameToken {
  /** Latin letters and digits, lower case. */
  text: string;
  /** The sounds of the word, one character each. Different spellings of a name have similar sounds. */
  sounds: string;
  /** Whether the word was written without vowels, as in Arabic and Hebrew. */
  isAbjad: boolean;
}

/** A name in its comparable form. */
export interface NameForm {
  kind: PartyKind;
  /** The words without particles, titles and legal forms, unless too little would be left. */
  tokens: readonly NameToken[];
  /** The folded name in its own script, independent of the order of its words. */
  folded: string;
}

/** Longer names are cut. Real names are shorter, and comparison takes quadratic time. */
const MAX_TOKENS = 8;
const MAX_TOKEN = 40;

const words = (text: string) => new Set(text.trim().split(/\s+/));

/** Words that people often leave out, and titles. */
const PARTICLES =
  words(`al el ul ad ar as az at ash bin ibn bint ould von van vom der den de di da do dos das del della la le
  zu zum zur ter ten und mr mrs ms miss dr prof sir sheikh shaykh haji hajji sayyid mullah mawlawi`);

/** Transliterated legal forms of companies, and words that accompany them in company names. */
const LEGAL_FORMS =
  words(`ltd limited llc inc incorporated corp corporation co company gmbh ggmbh ag kg ohg ug mbh se sa sas
  sarl srl spa sl bv nv oy oyj ab as asa aps plc llp lp ooo oao zao pao ao ojsc cjsc pjsc jsc pte pty kk kft zrt rt doo dd
  sro spzoo fze fzc fzco fzllc wll est establishment sti anonim sirketi a/s the and of for und et`);
/** Legal forms that consist of several words, or that are not separate words, in their own script. */
const LEGAL_PHRASES =
  /общество с ограниченной ответственностью|(?:открытое|закрытое|публичное)? ?акционерное общество|(?:股份|責任|责任)*有限(?:责任|責任)?公司|株式会社|有限会社|주식회사|\(주\)|شركة|sociedad an[oó]nima|soci[eé]t[eé] anonyme|gesellschaft mit beschr[aä]nkter haftung|sp\. ?z ?o\. ?o\./giu;

/** Converts a name to its comparable form. A name without a letter or digit has no tokens. */
export function readName(name: string, kind: PartyKind): NameForm {
  const plain = name.normalize('NFKC').slice(0, 400);
  const read = (kind === 'entity' ? plain.replace(LEGAL_PHRASES, ' ') : plain)
    // Letters separated by periods are one word: G.m.b.H., S.p.A.
    .replace(/(?<![\p{L}\p{N}])\p{L}(?:\.\p{L}{1,2})+\.?(?![\p{L}\p{N}])/gu, (form) =>
      form.replaceAll('.', ''),
    )
    .split(/[^\p{L}\p{M}\p{N}'’‘ʼʻʿʾ`]+/u)
    .flatMap(readWord);
  const leftOut = (word: string) =>
    PARTICLES.has(word) || (kind === 'entity' && LEGAL_FORMS.has(word));
  const telling = read.filter(({ text, isAbjad }) => isAbjad || !leftOut(text));
  const tokens =
    telling.length >= Math.min(read.length, kind === 'entity' ? 1 : 2) ? telling : read;
  return { kind, tokens: tokens.slice(0, MAX_TOKENS), folded: foldName(name) };
}

/** Folds a name in its own script: without case, accents and punctuation, and with sorted words. */
export function foldName(name: string): string {
  const letters = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return letters
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .sort()
    .join(' ');
}

/** A cache of words, since the names of a list share most of their words. */
const known = new LRUCache<string, readonly NameToken[]>({ max: 50_000 });

function readWord(word: string): readonly NameToken[] {
  const tokens = known.get(word) ?? readNewWord(word);
  known.set(word, tokens);
  return tokens;
}

function readNewWord(word: string): NameToken[] {
  const letters = word.replace(/['’‘ʼʻʿʾ`]/gu, '');
  if (letters === '') return [];
  const isAbjad = /[\p{sc=Arabic}\p{sc=Hebrew}]/u.test(letters);
  if (isAbjad)
    return splitArabic(letters)
      .map(readConsonants)
      .filter(({ text }) => text !== '');
  // One word of Chinese or Korean is a whole name. Each of its characters becomes a capitalized syllable.
  const syllables = /[\p{sc=Han}\p{sc=Hangul}]/u.test(letters)
    ? (anyAscii(letters).match(/[A-Z][a-z]*|[a-z0-9]+/g) ?? [])
    : splitServant(latin(letters));
  return syllables.map(latin).filter(Boolean).map(toToken);
}

function latin(letters: string): string {
  const text = anyAscii(letters.replace(/[ъьЪЬ]/g, '')).toLowerCase();
  return text.replace(/[^a-z0-9]/g, '').slice(0, MAX_TOKEN);
}

function toToken(text: string): NameToken {
  return { text, sounds: soundsOf(text), isAbjad: false };
}

/** Reads letter by letter, because two letters must not become one sound. */
function readConsonants(word: string): NameToken {
  const letters = Array.from(word, latin);
  const sounds = letters.map((letter, at) => {
    if (word[at] === 'ة') return 'Q';
    return letter === 'w' ? 'w' : soundsOf(letter);
  });
  return { text: letters.join('').slice(0, MAX_TOKEN), sounds: sounds.join(''), isAbjad: true };
}

/** Splits off the article and "servant of", which Arabic writes together with the name. */
function splitArabic(word: string): string[] {
  const plain = word.replace(/[\p{M}ـ]/gu, '').replace(/[أإآٱ]/g, 'ا');
  const servant = /^(عبد)(ال.{2,})$/u.exec(plain);
  const parts = servant ? [servant[1] ?? '', servant[2] ?? ''] : [plain];
  return parts.map((part) => part.replace(/^ال(?=.{3})(?!له$)/u, ''));
}

/** Splits names such as Abdulrahman, since Abd el-Rahman and Abderrahmane are the same name. */
function splitServant(word: string): string[] {
  if (/^abdu?ll?ah?$|^abdallah?$/.test(word)) return ['abdullah'];
  const servant = /^abd[aeou]?(?:l|r(?=r)|s(?=s)|n(?=n)|z(?=z)|d(?=d))(.{3,})$/.exec(word);
  if (servant) return ['abd', servant[1] ?? ''];
  return [/^abd[eu]l?$/.test(word) ? 'abd' : word];
}

/** Joins two words that may also be written as one. */
export function joinTokens(one: NameToken, other: NameToken): NameToken {
  return {
    text: one.text + other.text,
    sounds: (one.sounds + other.sounds).replace(/(.)\1+/g, '$1'),
    isAbjad: one.isAbjad || other.isAbjad,
  };
}

/** Groups of letters and the character for their sound, longest first. */
const SOUNDS: readonly (readonly [RegExp, string])[] = [
  [/schtsch|chtch|shch|tsch|tch|cz/g, 'C'],
  [/sch|sh|sz/g, 'S'],
  [/ch/g, 'C'],
  [/dzh|dj/g, 'j'],
  [/zh/g, 'Z'],
  [/kh/g, 'H'],
  [/gh/g, 'G'],
  [/ph/g, 'f'],
  [/th/g, 'T'],
  [/dh/g, 'D'],
  [/t[sz]/g, 'c'],
  [/ck|q/g, 'k'],
  [/x/g, 'ks'],
  [/c(?=[eiy])/g, 's'],
  [/c/g, 'k'],
  [/ou|oo/g, 'u'],
  [/ee/g, 'i'],
  [/[iy]j$/g, 'i'],
  [/aw(?![aeiou])/g, 'au'],
  [/^ye/g, 'e'],
  [/w/g, 'v'],
  [/y/g, 'i'],
  [/(.)\1+/g, '$1'],
];

function soundsOf(text: string): string {
  return SOUNDS.reduce((sounds, [letters, sound]) => sounds.replace(letters, sound), text);
}

/** Classes of consonants, so few that nearly all spellings of a word share a key. Vowels and y are ignored. */
const CLASSES: Readonly<Record<string, string>> = {
  ...{
    b: 'B',
    p: 'B',
    f: 'F',
    v: 'F',
    k: 'K',
    g: 'K',
    G: 'K',
    h: 'H',
    H: 'H',
    t: 'T',
    T: 'T',
    d: 'T',
    D: 'T',
  },
  ...{ s: 'S', z: 'S', c: 'S', S: 'S', C: 'S', Z: 'S', j: 'S', m: 'M', n: 'N', l: 'L', r: 'R' },
};

/** Returns the key of a word: its consonants by class, or the word itself if it has none. */
export function skeletonOf({ sounds, text }: NameToken): string {
  const classes = Array.from(sounds, (sound) => CLASSES[sound] ?? (/\d/.test(sound) ? sound : ''));
  // A final h is often left out.
  const key = classes
    .join('')
    .replace(/(.)\1+/g, '$1')
    .replace(/(?<=.)H$/, '');
  return key === '' ? text : key;
}
