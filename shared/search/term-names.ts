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
/** The consonants of the whole label. */
export const skeletonTerm = (skeleton: string) => `s:${skeleton}`;
/** A made-up label with one of its letters left out: two labels that share one differ by a slip. */
export const deletionTerm = (shortened: string) => `d:${shortened}`;
export const tldTerm = (tld: string) => `t:${tld}`;

/**
 * The better a name is by itself, the more tiers it stands in; in each it has all its terms once more. So a
 * search for a common word reads the few best names that have it, not all.
 */
export const TIERS = ['', '+', '++'] as const;
export type Tier = (typeof TIERS)[number];
