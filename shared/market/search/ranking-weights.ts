/**
 * How strongly words of the query and of a name match, and which kinds of business a query is about. These constants
 * are set by hand; the weights of the features that they make are learned (`learned-weights.ts`).
 */
export const RANKING_WEIGHTS = {
  /** The relative weight of a word of the query. */
  word: {
    /** What the business is: "dice". */
    topic: 1,
    /** What it is like: "lucky". */
    describing: 0.5,
    /** Little information: "app", "company". */
    generic: 0.25,
  },

  /** How well a word of the query matches a word of the name or of the owner's texts. */
  match: {
    same: 1,
    sameStem: 0.97,
    /** `skincare` for `skin care` and vice versa. */
    joined: 0.97,
    /** `roast` for `roaster`. */
    form: 0.9,
    /** Two words before the bar of one thesaurus group. */
    synonym: 0.74,
    /** One of the two words is after the bar. */
    relatedToAsked: 0.45,
    relatedToFound: 0.32,
    /** A word in several groups is ambiguous: divide each group's value by their number to this power. */
    ambiguity: 0.3,
    /** Within a longer stretch of a made-up name or another script. */
    inside: 0.8,
    /** In scripts without spaces, most words are within others. */
    insideOtherScript: 0.95,
  },

  /** Which kinds of business a query is about. */
  kinds: {
    /** The minimum evidence for the likeliest kind, and the minimum share of it for another. */
    least: 0.15,
    leastShare: 0.4,
    /** The bonus for two adjacent words together. */
    pair: 1.6,
    /** The bonus for a query nearer to a kind than to the average: zero at `from`, full from `full` on. */
    nearness: { from: 0.08, full: 0.28, worth: 0.6 },
    /** The value of one distinctive word without the others. */
    oneWord: 0.65,
    /** The weight of a word that no kind has. */
    unknownWord: 0.5,
    /** Evidence that is sufficient; below it, the likelihood falls with this power. */
    enough: 0.6,
    doubt: 2,
    /** How strongly more evidence raises a kind's likelihood, and how much its rivals lower it. */
    contrast: 12,
    rivals: 0.2,
    /** The minimum weight of a kind's term to search for, and to assign a name to the kind. */
    sought: 0.43,
    telling: 0.45,
  },

  /** The minimum best match of a query word; below it, the word does not count. */
  unmatched: 0.23,

  /** The value of a match by place. */
  place: {
    label: 1,
    tld: 0.5,
    tags: 0.8,
    about: 0.8,
    /** How much of the remaining value a second place adds. */
    second: 0.45,
  },

  /** Long queries ask for more than a name can hold: words after the first two count by the second number. */
  room: { words: 2, further: 0.45 },
} as const;
