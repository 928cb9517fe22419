import type { Language } from './dictionary.ts';
import { cyrillicForms, plainSpelling } from './romanize.ts';

/** Shorter stems are not words. */
const SHORTEST_STEM = 3;

/**
 * Word endings, each with its replacements in the dictionary form. Longer endings come first. Words are folded: without
 * the accents of `reparación` and the dots of `Häuser`. Hindi and Arabic endings are also in Latin letters.
 */
const ENDINGS: Readonly<
  Partial<Record<Language, readonly (readonly [string, readonly string[]])[]>>
> = {
  ar: table(
    'يات>يه,ي ات>ه,- ين>-,ه ون>- ان>-,ه يه>ي,- ه>- ->ه iat>ia,i at>a,- it>a,- in>-,a un>- ia>i a>- ->a',
  ),
  de: table('innen>- in- s> en>-,e er>-,e es>-,e em>-,en n> e>-,en s>'),
  es: table('ces>z iones>ion as>o,a,ar os>o,ar es>-,e s> a>o an>ar en>er'),
  fr: table(
    'euses>eur,eux trices>teur ieres>ier elles>el ennes>en euse>eur,eux trice>teur iere>ier elle>el enne>en aux>al,eau eaux>eau ees>er ee>er es>-,e s> x> e>',
  ),
  hi: table(
    'ियों>ी,ि ियां>ी,ि ाओं>ा ाएं>ा ुओं>ू,ु ओं>- एं>- ों>-,ा ें>- े>ा ी>ा ion>i ian>i aon>a aen>a iyo>i on>-,a o>-,a en>- e>a i>a',
  ),
  it: table(
    'trici>tore zioni>zione che>ca,co chi>co,ca ghe>ga ghi>go gie>gia cie>cia ici>ico,ice ie>ia ii>io i>o,e,io,a e>a,o a>o',
  ),
  nl: table('tjes>- jes>- tje>- je>- eren>- en>-,e s> n> e>'),
  pt: table('oes>ao aes>ao ais>al eis>el,il ois>ol ores>or ns>m is>il as>o,a os>o es>-,e s> a>o'),
  ru: table(
    `иями>ия,ие ями>я,ь,е ами>-,а,о иях>ия,ие ях>я,ь,е ах>-,а,о иям>ия,ие ям>я,ь,е ам>-,а,о ого>ыи,ии,ое,ои его>ии,ее
     ому>ыи,ии,ое ему>ии ыми>ыи ими>ии иеи>ия ием>ие ии>ия,ие,ь ыи>ои ов>-,о ев>ь,и,е еи>ь,я,и ои>а,ыи,ии,ои еи>я ом>-,о
     ем>ь,е ых>ыи их>ии ым>ыи им>ии ая>ыи,ии,ои яя>ии ое>ыи,ои,ии ее>ии ые>ыи,ои ие>ии,ыи ую>ыи,ии,ая ию>ия ью>ь ию>ие а>-,о
     у>-,а,о ы>-,а е>-,а,о,я,ь и>-,а,ь,я,ии ю>я,ь,е я>ь,е,и ки>ок,ка цы>ец ->а,о,я`,
  ),
};

function table(text: string): (readonly [string, readonly string[]])[] {
  return text
    .trim()
    .split(/\s+/)
    .map((rule) => {
      const [ending = '', lemmas = ''] = rule.split('>');
      const plain = (part: string) => (part === '-' ? '' : part);
      return [plain(ending), lemmas.split(',').map(plain)];
    });
}

/** Returns possible base forms, likeliest first: `flor` and `flore` for `flores`. Most are not words. */
export function lemmasOf(word: string, language: Language): string[] {
  const plain = plainSpelling(word, language);
  const cyrillic = language === 'ru' ? cyrillicForms(word) : [];
  const bare = language === 'ar' ? plain.replace(ARABIC_PREFIX, '') : plain;
  const umlauts = language === 'de' ? withoutDigraphs(word) : [];
  const lemmas = new Set([plain, bare, ...cyrillic, ...umlauts]);
  for (const form of [...lemmas]) addLemmas(form, language, lemmas);
  lemmas.delete(word);
  return [...lemmas];
}

/** The article, alone or with a prefixed word, or that word alone. */
const ARABIC_PREFIX = /^(?:(?:[وفبك]?ال|لل|[وبل])(?=..)|[aei]l(?=...))/;

function addLemmas(form: string, language: Language, lemmas: Set<string>): void {
  for (const [ending, others] of ENDINGS[language] ?? []) {
    if (!form.endsWith(ending) || form.length - ending.length < SHORTEST_STEM) continue;
    const bare = form.slice(0, form.length - ending.length);
    for (const other of others) lemmas.add(bare + other);
    if (language === 'nl') for (const other of dutchStems(bare)) lemmas.add(other);
  }
}

/** `katt` (katten) is `kat`, `schol` (scholen) `school`, `huiz` (huizen) `huis`, `briev` (brieven) `brief`. */
function dutchStems(bare: string): string[] {
  return [
    bare.replace(/([bcdfgklmnprst])\1$/, '$1'),
    bare.replace(/([aeou])([bcdfgklmnprst])$/, '$1$1$2'),
    bare.replace(/z$/, 's').replace(/v$/, 'f'),
    bare.replace(/([aeou])z$/, '$1$1s').replace(/([aeou])v$/, '$1$1f'),
  ];
}

/** Undoes umlaut digraphs: people type `moebel` for `möbel`, and the dictionaries have `mobel`. */
function withoutDigraphs(word: string): string[] {
  return /[aou]e/.test(word) ? [word.replace(/([aou])e/g, '$1')] : [];
}
