import anyAscii from 'any-ascii';
import { LRUCache } from 'lru-cache';

/** What a party or a list's entry is. */
export type PartyKind = 'person' | 'entity';

/** A word of a name as it is compared. */
export interface NameToken {
  /** Latin letters and digits, lower case. */
  text: string;
  /** How it sounds, a sign for each sound; spellings of one name come close to each other. */
  sounds: string;
  /** Whether it was written without its vowels, as Arabic and Hebrew are. */
  isAbjad: boolean;
}

/** A name as it is compared. */
export interface NameForm {
  kind: PartyKind;
  /** Without particles, titles and legal forms, unless nothing else is left. */
  tokens: readonly NameToken[];
  /** The name in its own script, folded, whatever the order of its words. */
  folded: string;
}

/** Longer names are cut: nobody has one, and comparing takes the square of it. */
const MAX_TOKENS = 8;
const MAX_TOKEN = 40;

const words = (text: string) => new Set(text.trim().split(/\s+/));

/** Words that people write or leave out, and titles. */
const PARTICLES =
  words(`al el ul ad ar as az at ash bin ibn bint ould von van vom der den de di da do dos das del della la le
  zu zum zur ter ten und mr mrs ms miss dr prof sir sheikh shaykh haji hajji sayyid mullah mawlawi`);

/** Legal forms of companies, as they are after transliteration, and words that names of companies have beside them. */
const LEGAL_FORMS =
  words(`ltd limited llc inc incorporated corp corporation co company gmbh ggmbh ag kg ohg ug mbh se sa sas
  sarl srl spa sl bv nv oy oyj ab as asa aps plc llp lp ooo oao zao pao ao ojsc cjsc pjsc jsc pte pty kk kft zrt rt doo dd
  sro spzoo fze fzc fzco fzllc wll est establishment sti anonim sirketi a/s the and of for und et`);
/** Those that are several words, or no words, in their own script. */
const LEGAL_PHRASES =
  /общество с ограниченной ответственностью|(?:открытое|закрытое|публичное)? ?акционерное общество|(?:股份|責任|责任)*有限(?:责任|責任)?公司|株式会社|有限会社|주식회사|\(주\)|شركة|sociedad an[oó]nima|soci[eé]t[eé] anonyme|gesellschaft mit beschr[aä]nkter haftung|sp\. ?z ?o\. ?o\./giu;

/** How a name is compared. A name without a letter or digit has no tokens. */
export function readName(name: string, kind: PartyKind): NameForm {
  const plain = name.normalize('NFKC').slice(0, 400);
  const read = (kind === 'entity' ? plain.replace(LEGAL_PHRASES, ' ') : plain)
    // Letters with full stops between them are one word: G.m.b.H., S.p.A.
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

/** A name in its own script, without case, accents, punctuation and the order of its words. */
export function foldName(name: string): string {
  const letters = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return letters
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .sort()
    .join(' ');
}

/** Names of a list share most of their words. */
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
  // One word of Chinese or Korean is a whole name; each of its signs becomes a syllable with a capital.
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

/** Letter by letter: what is two letters must not be read as one sound. */
function readConsonants(word: string): NameToken {
  const letters = Array.from(word, latin);
  const sounds = letters.map((letter, at) => {
    if (word[at] === 'ة') return 'Q';
    return letter === 'w' ? 'w' : soundsOf(letter);
  });
  return { text: letters.join('').slice(0, MAX_TOKEN), sounds: sounds.join(''), isAbjad: true };
}

/** Arabic writes the article, and "servant of", together with the name. */
function splitArabic(word: string): string[] {
  const plain = word.replace(/[\p{M}ـ]/gu, '').replace(/[أإآٱ]/g, 'ا');
  const servant = /^(عبد)(ال.{2,})$/u.exec(plain);
  const parts = servant ? [servant[1] ?? '', servant[2] ?? ''] : [plain];
  return parts.map((part) => part.replace(/^ال(?=.{3})(?!له$)/u, ''));
}

/** Abdulrahman, Abd el-Rahman and Abderrahmane are one name. */
function splitServant(word: string): string[] {
  if (/^abdu?ll?ah?$|^abdallah?$/.test(word)) return ['abdullah'];
  const servant = /^abd[aeou]?(?:l|r(?=r)|s(?=s)|n(?=n)|z(?=z)|d(?=d))(.{3,})$/.exec(word);
  if (servant) return ['abd', servant[1] ?? ''];
  return [/^abd[eu]l?$/.test(word) ? 'abd' : word];
}

/** Two words that somebody else writes as one. */
export function joinTokens(one: NameToken, other: NameToken): NameToken {
  return {
    text: one.text + other.text,
    sounds: (one.sounds + other.sounds).replace(/(.)\1+/g, '$1'),
    isAbjad: one.isAbjad || other.isAbjad,
  };
}

/** Groups of letters and the sign of their sound, the longest first. */
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

/** Consonants in so few classes that nearly all spellings of a word have the same; vowels and y say nothing. */
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

/** The key of a word: its consonants by class; of a word without any, the word. */
export function skeletonOf({ sounds, text }: NameToken): string {
  const classes = Array.from(sounds, (sound) => CLASSES[sound] ?? (/\d/.test(sound) ? sound : ''));
  // An h at the end is often not written.
  const key = classes
    .join('')
    .replace(/(.)\1+/g, '$1')
    .replace(/(?<=.)H$/, '');
  return key === '' ? text : key;
}
