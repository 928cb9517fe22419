import { emojiIn } from './language/emoji.ts';
import { type Segment, segmentLabel } from './language/segment-label.ts';
import { stem } from './language/stem.ts';
import { ngramsOf, STOP_WORDS, wordsOf } from './language/text-analysis.ts';
import { type Membership, thesaurus } from './language/thesaurus.ts';

/**
 * Increment when any write-time result changes: segmentation, stems, thesaurus, terms, quality. Documents of another
 * version are still found, though less well, until `search:rebuild` rewrites them.
 */
export const INDEX_VERSION = 11;

/** The fields of a listing that search uses. */
export interface SearchableListing {
  id: number;
  domainUnicode: string;
  tld: string;
  category: string | null;
  description: string | null;
  keywords: readonly string[];
}

/** A row of the index; all texts are folded. */
export interface SearchDocument {
  listingId: number;
  version: number;
  /** Without separators. */
  label: string;
  /** The label split into words. */
  labelWords: string;
  /** Stems of keywords and category, and of the meaning of emoji in the label. */
  tags: string;
  /** Stems of the description. */
  about: string;
  /** 0 to 100. */
  quality: number;
  /** Whether the label has an unknown stretch: only such names are searched by spelling. */
  madeUp: boolean;
  tld: string;
  /** Characters of the label as written. */
  length: number;
  shape: NameShape;
  terms: string[];
}

/** The composition of a label, by which the best names are indexed. */
export const NAME_SHAPES = { word: 1, coined: 2, pair: 3, phrase: 4 } as const;
export type NameShape = (typeof NAME_SHAPES)[keyof typeof NAME_SHAPES];

/** The number of words of a description to index; the rest is small print. */
const ABOUT_WORDS = 24;
const MAX_TAGS = 40;
/** Words in nearly every sales text. */
const SALES_TALK = new Set(
  ['name', 'domain', 'brand', 'brandable', 'premium', 'short', 'sale'].map(stem),
);

/** Returns the index row of a listing: the label's words and their meanings, and the owner's texts. */
export function toSearchDocument(listing: SearchableListing): SearchDocument {
  const [written = ''] = listing.domainUnicode.split('.');
  const tagWords = wordsOf([...listing.keywords, listing.category ?? ''].join(' '));
  const aboutWords = wordsOf(listing.description ?? '');
  // Read an emoji as the first word that a query with it searches for.
  const emoji = emojiIn(written);
  const read = emoji.reduce(
    (text, { asked, keywords: [word] }) => text.replaceAll(asked, ` ${word} `),
    written,
  );
  const pieces = wordsOf(read).flatMap(segmentLabel);
  const label = pieces.map(({ text }) => text).join('');
  const quality = staticQuality({
    label,
    written,
    tld: listing.tld,
    words: pieces.length,
    known: pieces.every(({ known }) => known),
  });
  const pictured = emoji.flatMap(({ keywords }) => wordsOf(keywords.join(' ')));
  const tags = contentStems([...pictured, ...tagWords]).slice(0, MAX_TAGS);
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

/** Returns whether a suffix describes a site: shop, app, studio, but not com or de. */
export function isWordLike(tld: string): boolean {
  return /^[a-z]{3,}$/.test(tld) && !['com', 'net', 'org', 'xyz', 'biz', 'info'].includes(tld);
}

/** Returns the thesaurus groups of stems and of adjacent pairs; core takes precedence over related. */
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
 * The terms of a name in the index. The prefix tells the kind of evidence, so one list with one index serves words,
 * meaning and spelling.
 */

/** Returns the term for a stem of the label. */
export const labelTerm = (stemmed: string) => `l:${stemmed}`;
/** Returns the term for a stem of the owner's texts: keywords, category, description. */
export const tagTerm = (stemmed: string) => `k:${stemmed}`;
/** Returns the term for a thesaurus group with a synonym in the name or its keywords. */
export const coreTerm = (group: string) => `c:${group}`;
/** Returns the term for a thesaurus group with a related word in the label. */
export const relatedTerm = (group: string) => `r:${group}`;
/** Returns the term for an n-gram of a label in another script. */
export const ngramTerm = (gram: string) => `g:${gram}`;
export const tldTerm = (tld: string) => `t:${tld}`;

/**
 * Better names are in more tiers, with all their terms repeated in each. A search for a common word then reads only the
 * few best names that have it.
 */
export const TIERS = ['', '+', '++'] as const;
type Tier = (typeof TIERS)[number];

/** What makes a name good for any buyer: short, plain, one or two words, a memorable suffix. */
interface NameTraits {
  /** The folded label without separators. */
  label: string;
  /** As written, with hyphens. */
  written: string;
  tld: string;
  words: number;
  /** Whether all of its pieces are words. */
  known: boolean;
}

const QUALITY_WEIGHTS = { short: 0.4, plain: 0.25, suffix: 0.2, words: 0.15 } as const;
/** Labels up to this length have the full value; each further letter costs a fourteenth. */
const SHORT = 6;
const LONG = 20;

/** Returns the quality, 0 to 1, from the name alone, so it never changes while the name is listed. */
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

/** The minimum quality per tier: about every eighth name is above the first, every fiftieth above both. */
const TIER_STARTS: readonly (readonly [start: number, tier: Tier])[] = [
  [0.9, '+'],
  [0.96, '++'],
];

/** Returns the higher tiers of a name of this quality. */
function tiersOf(quality: number): Tier[] {
  return TIER_STARTS.filter(([start]) => quality >= start).map(([, tier]) => tier);
}
