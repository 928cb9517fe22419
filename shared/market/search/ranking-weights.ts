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
    /** So much less where other words say what the business is, and this one does not. */
    aside: 0.2,
    /** From so much on a word says what the business is. */
    plain: 0.8,
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
    /** What two words say that stand together in what people say who need one, and what each further word adds. */
    need: { two: 0.75, further: 0.16 },
    /** What is added by nearness in meaning to all that is known of a kind: so much of what is beyond `from`. */
    nearness: { from: 0.4, worth: 0.3 },
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
    /** How much less likely the others are where no name is of the likeliest: the power of how much less speaks for them. */
    absent: 2,
    /** What a label says of a kind to which no keyword of its owner belongs. */
    disputed: 0.6,
    /** How much less likely all are by the share of what may be meant that no name is of, nor its kin. */
    missing: { contrast: 8, doubt: 0.3 },
    /** How much speaks for the kin of a kind, by how much alike they are. */
    kin: { from: 0.55, alike: 1.5, most: 0.95 },
    /** From which worth on names with a term of a kind are looked for, and from which it says that they are of it. */
    sought: 0.43,
    telling: 0.45,
    /** From which worth on a term shows that names of a kind are there. */
    present: 0.48,
  },

  /** How near the meanings of query and name are: nothing at `from` (a cosine), all of it from `full` on. */
  meaning: {
    from: 0.28,
    full: 0.9,
    /** What share of the coverage that words leave open a full nearness fills. */
    fills: 0.55,
    /** The coverage that a name has which an embedding model finds as near as can be. */
    ofModel: 0.8,
  },

  /** Words of a query that no name has: the share of their weight that is taken off what the others give. */
  unmatched: { least: 0.23, cost: 0.4 },

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
  /** A name that meets every word a little is better than one that meets one fully: the share of balance. */
  balance: { share: 0.35, met: 0.3 },

  /** What the score is made of, learned from graded queries; what a name has sums to 1, what it lacks is taken off. */
  score: {
    coverage: 0.44,
    precision: 0.15,
    order: 0.014,
    agreement: 0.018,
    quality: 0.014,
    nearness: 0.155,
    kind: 0.145,
    company: 0.2,
    alike: 0.35,
    foreign: -0.15,
    place: -0.09,
    audience: -0.1,
  },
  /** How many of the best tell what the others should have in common with them, and what a silent owner counts for. */
  company: { names: 12, unknown: 0.17 },

  /** A label that is the query scores at least this; the very domain scores 1. */
  exactLabel: 0.94,
  /** A made-up name counts as misspelt from this likeness (Dice over trigrams) on. */
  alike: 0.6,

  /** What is not about the query is dropped: below so much coverage, or score, or share of the best score. */
  threshold: {
    coverage: 0.22,
    /** So much more, times the share of the query that is unknown. */
    unknown: 0.7,
    /** Of so many words a name has to meet one at least so well: nearness to all of them says too little. */
    manyWords: 3,
    said: 0.5,
    score: 0.42,
    shareOfBest: 0.72,
    /** Beside the very name that was asked for. */
    shareOfExact: 0.68,
    /** A very good answer does not drive out what would be shown beside a good one. */
    bestCounted: 0.82,
  },
} as const;
