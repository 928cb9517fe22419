import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { businessKinds, wordsOfKinds } from '../kinds/kinds.ts';
import { stem } from './stem.ts';
import { thesaurus } from './thesaurus.ts';
import { createWordTable } from './word-table.ts';

/** More than the length of the list. */
const MOST_WORDS = 131_072;
/** The highest rank number for a trade word, however rare in prose; the list is older than many of them. */
const TRADE_RANK = 5_000;
/** The highest rank number for a piece that is rare or missing in the list. */
const PIECE_RANK = 9_000;

/** The only allowed two-letter words: the list has nearly every pair. */
const PAIRS = new Set(
  `ad ai am an ar as at be by cd ci co cv da db de dj do dr dr el er eu ev ex go gp hi hq hr id if in io ip is
   it iq la le lo ma me mi mr mt mx my no of oh ok on or os ox pa pc pi pr qa re rv so st tv tx ui uk un up us
   ux vc vr we xr ya yo`.split(/\s+/),
);

/** Three-letter words used in names. */
const THREES = new Set(
  `ace act add ads age aid aim air ale all amp and ant any ape api app apt arc arm art ash ask atm axe aye bag
   ban bar bat bay bed bee beg bet bid big bin bio bit bnb boa bob bog bot bow box boy bra bud bug bun bus buy
   bye cab cad cam can cap car cat cbd ceo cia cob cod cog cop cot cow coy cpa crm cry cub cue cup cut dab dad
   dam dao day den dev dew dex did die dig dim dip diy dna doc doe dog don dot dry dub due dug duo dye ear eat
   ebb eco egg ego elf elm emu end eon era erp esg eve eye fab fan far fat fax fee few fig fin fir fit fix flu
   fly foe fog for fox fry fun fur gag gal gap gas gay gel gem geo get gig gin gnu god got gps gum gun gut guy
   gym had ham has hat hay hen her hey hex hid him hip his hit hog hop hot how hub hue hug hut ice icy ill imp
   ink inn ion ios ira ivy jab jam jar jaw jay jet jew jig job jog jot joy jug key kid kin kit lab lad lag lap
   law lax lay led leg let lid lie lip lit llm lot low lux mac mad man map mat max may med meg men met mid mix
   mob mod mom mop mud mug mum nap neo net new nft nil nit nod nor not now nut oak oar oat odd off oil old one
   opt orb ore our out owl own pad pal pan par pat paw pay pea peg pen pep per pet pie pig pin pit pix ply pod
   pop pos pot pro pub pug pun pup put rag ram ran rap rat raw ray red ref rep rib rid rig rim rip rob rod row
   rub rug rum run rye sad sap sat saw sax say sea see seo set sew sex she shy sim sin sip sir sis sit six ski
   sky sly sms sod son soy spa spy sql sue sum sun sup tab tag tan tap tar tax tea tee ten the tie tin tip toe
   ton too top tow toy try tub tug two uav urn usa use van vat vet via vie vip voc vow vpn wag war was wax way
   web wed wet who why wig win wit wok won wow wry yak yam yap yen yes yet yin yip you zap zen zip zoo`.split(
    /\s+/,
  ),
);

/** Common prefixes and suffixes of names; they are not words and carry no meaning. */
const AFFIXES = new Set(
  `ify ly hq ster ista ology matic scape topia verse ware bnb bio eco geo neo omni uni hyper ultra meta tele nano
   agri edu inter multi micro mega mini super`.split(/\s+/),
);

export function isAffix(word: string): boolean {
  return AFFIXES.has(word);
}

/** Returns whether a word is used for businesses or their products. */
export function isTradeWord(word: string): boolean {
  return businessKinds().tellingOf(stem(word)) > 0 || thesaurus().words.has(word);
}

export interface WordList {
  /** Returns the rank of a word in the language, 1 for the most common; undefined if it is not a word. */
  rankOf(word: string): number | undefined;
  /** The number of words; the most common have the lowest indexes. */
  size: number;
  wordAt(index: number): string;
  rankAt(index: number): number;
}

let loaded: WordList | undefined;

/** Returns English words by frequency and those of our thesaurus. Loaded on first use (about 40 ms). */
export function wordList(): WordList {
  loaded ??= load();
  return loaded;
}

function load(): WordList {
  const file = createRequire(import.meta.url).resolve('wordsninja/words-en.json');
  const json = readFileSync(file, 'latin1');
  const trades = [...thesaurus().words, ...wordsOfKinds()].filter((word) =>
    /^[a-z]{3,}$/.test(word),
  );
  const table = createWordTable({
    words: MOST_WORDS + trades.length,
    letters: json.length + trades.join('').length,
  });
  // Word by word: parsing the whole file would create a hundred thousand strings at once.
  let rank = 0;
  for (const [, word = ''] of json.matchAll(/"([^"]*)"/g)) {
    rank += 1;
    if (isPlausibleWord(word) && table.get(word) === undefined) table.set(word, rank);
  }
  const atMost = (word: string, most: number) =>
    table.set(word, Math.min(table.get(word) ?? most, most));
  for (const word of trades) atMost(word, TRADE_RANK);
  for (const piece of [...THREES, ...AFFIXES]) atMost(piece, PIECE_RANK);
  return {
    rankOf: table.get,
    size: table.size,
    wordAt: table.wordAt,
    rankAt: table.numberAt,
  };
}

function isPlausibleWord(word: string): boolean {
  if (!/^[a-z]+$/.test(word)) return false;
  if (word.length < 3) return PAIRS.has(word);
  return word.length > 3 || THREES.has(word);
}
