import { emojiIn } from './language/emoji.ts';
import { foreignLabelWords } from './language/foreign-label.ts';
import { type Segment, segmentLabel } from './language/segment-label.ts';
import { stem } from './language/stem.ts';
import { ngramsOf, STOP_WORDS, wordsOf } from './language/text-analysis.ts';
import { type Membership, thesaurus } from './language/thesaurus.ts';

/**
 * Changes with everything that is worked out at write time: segmentation, stems, thesaurus, terms, quality.
 * Documents of another version are still found, but less well, until `search:rebuild` has written them again.
 */
export const INDEX_VERSION = 10;

/** What search wants to know of a listing. */
export interface SearchableListing {
  id: number;
  domainUnicode: string;
  tld: string;
  category: string | null;
  description: string | null;
  keywords: readonly string[];
}

/** A row of the index; every text is folded. */
export interface SearchDocument {
  listingId: number;
  version: number;
  /** Without separators. */
  label: string;
  /** The label cut into words. */
  labelWords: string;
  /** Stems of keywords and category, and of what a label in another language, script or emoji is in English. */
  tags: string;
  /** Stems of the description. */
  about: string;
  /** 0 to 100. */
  quality: number;
  /** Whether the label has a stretch that is no word: only such names are looked for by their spelling. */
  madeUp: boolean;
  tld: string;
  /** Characters of the label as it is written. */
  length: number;
  shape: NameShape;
  terms: string[];
}

/** What a label is made of, as far as it makes a name of another kind. */
export const NAME_SHAPES = { word: 1, coined: 2, pair: 3, phrase: 4 } as const;
export type NameShape = (typeof NAME_SHAPES)[keyof typeof NAME_SHAPES];

/** So much of a description counts; the rest is small print. */
const ABOUT_WORDS = 24;
const MAX_TAGS = 40;
const MIN_HINT = 3;
/** What every seller says of every name. */
const SALES_TALK = new Set(
  ['name', 'domain', 'brand', 'brandable', 'premium', 'short', 'sale'].map(stem),
);

/** The index row of a listing: its label cut into words and what they mean, beside what the owner says of it. */
export function toSearchDocument(listing: SearchableListing): SearchDocument {
  const [written = ''] = listing.domainUnicode.split('.');
  const tagWords = wordsOf([...listing.keywords, listing.category ?? ''].join(' '));
  const aboutWords = wordsOf(listing.description ?? '');
  const hints = new Set([...tagWords, ...aboutWords].filter((word) => word.length >= MIN_HINT));
  // A picture is read as the word that a query with it asks for first.
  const emoji = emojiIn(written);
  const read = emoji.reduce(
    (text, { asked, keywords: [word] }) => text.replaceAll(asked, ` ${word} `),
    written,
  );
  const pieces = wordsOf(read).flatMap((part) => segmentLabel(part, hints));
  const label = pieces.map(({ text }) => text).join('');
  const quality = staticQuality({
    label,
    written,
    tld: listing.tld,
    words: pieces.length,
    known: pieces.every(({ known }) => known),
  });
  const foreign = foreignLabelWords(label, pieces);
  const pictured = emoji.flatMap(({ keywords }) => wordsOf(keywords.join(' ')));
  const tags = contentStems([...foreign, ...pictured, ...tagWords]).slice(0, MAX_TAGS);
  const about = contentStems(aboutWords)
    .filter((stemmed) => !SALES_TALK.has(stemmed))
    .slice(0, ABOUT_WORDS);
  const terms = termsOf(pieces, tags, about, listing.tld);
  return {
    listingId: listing.id,
    version: INDEX_VERSION,
    label,
    labelWords: pieces.map(({ text }) => text).join(' '),
    tags: tags.join(' '),
    about: about.join(' '),
    quality: Math.round(100 * quality),
    madeUp: pieces.some(({ known }) => !known),
    tld: listing.tld,
    length: Array.from(emoji.reduce((text, { asked }) => text.replaceAll(asked, '.'), written))
      .length,
    shape: shapeOf(pieces),
    terms: [
      ...terms,
      ...tiersOf(quality).flatMap((tier) => terms.map((term) => term + tier)),
      tldTerm(listing.tld),
    ],
  };
}

function shapeOf(pieces: readonly Segment[]): NameShape {
  if (pieces.length > 2) return NAME_SHAPES.phrase;
  if (pieces.some(({ known }) => !known)) return NAME_SHAPES.coined;
  return pieces.length === 1 ? NAME_SHAPES.word : NAME_SHAPES.pair;
}

function contentStems(words: readonly string[]): string[] {
  return [...new Set(words.filter((word) => !STOP_WORDS.has(word)).map(stem))];
}

function termsOf(
  pieces: readonly Segment[],
  tags: readonly string[],
  about: readonly string[],
  tld: string,
): string[] {
  const stems = pieces.map(({ text }) => stem(text));
  const terms = new Set<string>();
  for (const stemmed of [...stems, ...(isWordLike(tld) ? [stem(tld)] : [])]) {
    terms.add(labelTerm(stemmed));
  }
  for (const stemmed of [...tags, ...about]) terms.add(tagTerm(stemmed));
  for (const { text, known } of pieces) {
    if (!known) for (const gram of ngramsOf(text)) terms.add(ngramTerm(gram));
  }
  for (const [group, membership] of groupsIn(stems)) {
    terms.add(membership === 'core' ? coreTerm(group) : relatedTerm(group));
  }
  for (const [group, membership] of groupsIn([...tags, ...about])) {
    if (membership === 'core') terms.add(coreTerm(group));
  }
  return [...terms];
}

/** Suffixes that say what a site is: shop, app, studio; not com and de. */
export function isWordLike(tld: string): boolean {
  return /^[a-z]{3,}$/.test(tld) && !['com', 'net', 'org', 'xyz', 'biz', 'info'].includes(tld);
}

/** The groups that these stems, and pairs of neighbours among them, stand in; core wins over related. */
function groupsIn(stems: readonly string[]): Map<string, Membership> {
  const { groupsOf } = thesaurus();
  const found = new Map<string, Membership>();
  const add = (term: string) => {
    for (const [group, membership] of groupsOf(term)) {
      if (found.get(group) !== 'core') found.set(group, membership);
    }
  };
  for (const [at, stemmed] of stems.entries()) {
    add(stemmed);
    const next = stems[at + 1];
    if (next !== undefined) add(`${stemmed}_${next}`);
  }
  return found;
}

/**
 * The terms by which the index knows a name. Each begins with what it is evidence of, so that one list, and one
 * index over it, serves words, meaning and spelling alike.
 */

/** A stem of the label. */
export const labelTerm = (stemmed: string) => `l:${stemmed}`;
/** A stem of what the owner says: keywords, category, description. */
export const tagTerm = (stemmed: string) => `k:${stemmed}`;
/** A group of the thesaurus that a word of the name or of its keywords stands for. */
export const coreTerm = (group: string) => `c:${group}`;
/** A group of the thesaurus that a word of the label is spoken of with. */
export const relatedTerm = (group: string) => `r:${group}`;
/** A run of signs of a label in another script. */
export const ngramTerm = (gram: string) => `g:${gram}`;
export const tldTerm = (tld: string) => `t:${tld}`;

/**
 * The better a name is by itself, the more tiers it stands in; in each it has all its terms once more. So a
 * search for a common word reads the few best names that have it, not all.
 */
export const TIERS = ['', '+', '++'] as const;
type Tier = (typeof TIERS)[number];

/** What makes a name good whoever asks: short, plain, of one or two words, under a suffix that people remember. */
interface NameTraits {
  /** The folded label without separators. */
  label: string;
  /** As it is written, hyphens and all. */
  written: string;
  tld: string;
  words: number;
  /** All of its pieces are words. */
  known: boolean;
}

const QUALITY_WEIGHTS = { short: 0.4, plain: 0.25, suffix: 0.2, words: 0.15 } as const;
/** Labels up to here are as short as one can wish for; each further letter costs a fourteenth. */
const SHORT = 6;
const LONG = 20;

/** 0 to 1, from the name alone, so that it never changes while the name is listed. */
function staticQuality({ label, written, tld, words, known }: NameTraits): number {
  const length = Array.from(label).length;
  const short = Math.min(1, Math.max(0, (LONG - length) / (LONG - SHORT)));
  const plain = /[-0-9]/.test(written) ? 0 : 1;
  const suffix = tld === 'com' ? 1 : tld.length <= 3 ? 0.6 : 0.3;
  const few = known && words <= 2 ? 1 : words <= 3 ? 0.5 : 0;
  return (
    QUALITY_WEIGHTS.short * short +
    QUALITY_WEIGHTS.plain * plain +
    QUALITY_WEIGHTS.suffix * suffix +
    QUALITY_WEIGHTS.words * few
  );
}

/** Where the tiers begin: about every eighth name is above the first, every fiftieth above both. */
const TIER_STARTS: readonly (readonly [start: number, tier: Tier])[] = [
  [0.9, '+'],
  [0.96, '++'],
];

/** The tiers above the common one in which a name of this quality stands. */
function tiersOf(quality: number): Tier[] {
  return TIER_STARTS.filter(([start]) => quality >= start).map(([, tier]) => tier);
}
