/** All numbers by which the reranking judges; `docs/search.md` tells what they mean. Each is a share of 1. */
export const RANKING_WEIGHTS = {
  /** What a word of the query counts for beside the others. */
  word: {
    /** What the business is: "dice". */
    topic: 1,
    /** How it is: "lucky". */
    describing: 0.5,
    /** Hardly anything: "app", "company". */
    generic: 0.25,
    /** A word of this rank in running text counts half of that, a commoner one less. */
    common: 60,
  },

  /** How well a word of the query is met by a word of the name, or of what its owner says. */
  match: {
    same: 1,
    sameStem: 0.97,
    /** `skincare` for `skin care` and the reverse. */
    joined: 0.97,
    /** `roast` for `roaster`. */
    form: 0.9,
    /** Two words of one group of the thesaurus before its bar. */
    synonym: 0.74,
    /** One of them behind the bar. */
    relatedToAsked: 0.45,
    relatedToFound: 0.32,
    /** A word in several groups means each of them less: what one is worth is divided by their number to this power. */
    ambiguity: 0.3,
    /** Inside a longer stretch of a made-up name, or of another script. */
    inside: 0.8,
    /** Scripts without spaces have most words inside others. */
    insideOtherScript: 0.95,
  },

  /** Which kinds of business a query is about. */
  kinds: {
    /** Below so much that speaks for the likeliest, or of that for another, none is meant. */
    least: 0.15,
    leastShare: 0.4,
    /** What two neighboring words say together is worth more than what each says. */
    pair: 1.6,
    /** What the nearness of the query to a kind adds, beyond its nearness to all: nothing at `from`, all from `full` on. */
    nearness: { from: 0.08, full: 0.28, worth: 0.6 },
    /** What one word that says it plainly is worth without the others. */
    oneWord: 0.65,
    /** What a word counts that no kind has. */
    unknownWord: 0.5,
    /** From so much on nothing more is needed; below, the likeness falls by this power. */
    enough: 0.6,
    doubt: 2,
    /** How much likelier the one is for which more speaks, and how much rivals take. */
    contrast: 12,
    rivals: 0.2,
    /** From which worth on names with a term of a kind are looked for, and from which it says that they are of it. */
    sought: 0.43,
    telling: 0.45,
  },

  /** A word of the query that no name meets so well counts nothing. */
  unmatched: 0.23,

  /** What a match is worth by where it is. */
  place: {
    label: 1,
    tld: 0.5,
    tags: 0.8,
    about: 0.8,
    /** What a second place adds of what the first left open. */
    second: 0.45,
  },

  /** Long queries ask more than a name can hold: beyond so many words, each counts by the second number. */
  room: { words: 2, further: 0.45 },
  /** A made-up name counts as misspelt from this likeness (Dice over trigrams) on. */
  alike: 0.6,
} as const;
