import { createHash } from 'node:crypto';
import type { Item } from './made-up-inventory.ts';
import { type Need, readNeed } from './need.ts';
import { type Random, seededRandom } from './random.ts';
import { readLines, type Vocabulary } from './vocabulary.ts';

export const KINDS = [
  'one word',
  'synonym',
  'need',
  'exact name',
  'typo',
  'inflection',
  'several words',
  'sentence',
  'limits',
  'brand wish',
  'negation',
  'other language',
  'emoji',
  'place or brand',
  'nonsense',
  'out of inventory',
] as const;
export type Kind = (typeof KINDS)[number];

/** What somebody typed, and what they are looking for. */
export interface BuyerQuery {
  query: string;
  kind: Kind;
  need: Need;
  heldOut: boolean;
}

/** How many names of the inventory are asked for by name. */
const EXACT_NAMES = 90;

/** All queries. Their needs were written with them, not read from them. */
export function readQueries(
  vocabulary: Vocabulary,
  items: readonly Item[],
  seed: number,
): BuyerQuery[] {
  return KINDS.flatMap((kind) =>
    [...new Map(linesOf(kind, vocabulary, items, seed))].map(([query, facts]) => ({
      query,
      kind,
      need: readNeed(facts),
      heldOut: isHeldOut(query),
    })),
  );
}

/** The kinds of which there are queries to practice on, beside those that are judged. */
const PRACTICE = [
  'synonym',
  'need',
  'limits',
  'brand wish',
  'negation',
  'place or brand',
] as const satisfies readonly Kind[];

/** Further queries, all of them for tuning: what is learned from them shows in those that are held out. */
export function readPractice(): BuyerQuery[] {
  return PRACTICE.flatMap((kind) =>
    writtenLines('practice', kind).map(([query, facts]) => ({
      query,
      kind,
      need: readNeed(facts),
      heldOut: false,
    })),
  );
}

/** A third of all queries, by their text alone: which third cannot be chosen. */
function isHeldOut(query: string): boolean {
  return createHash('sha256').update(query).digest().readUInt32BE() % 3 === 0;
}

/** Query and facts. */
type Line = [query: string, facts: string];

function linesOf(kind: Kind, vocabulary: Vocabulary, items: readonly Item[], seed: number): Line[] {
  switch (kind) {
    case 'one word':
      return oneWord(vocabulary);
    case 'synonym':
      return inOtherWords(vocabulary, (words) => words <= 2);
    case 'need':
      return inOtherWords(vocabulary, (words) => words > 2);
    case 'exact name':
      return exactNames(items, seededRandom(seed + 1));
    case 'other language':
      return [...foreignWords(vocabulary), ...writtenLines('queries', kind)];
    case 'emoji':
      return [
        ...vocabulary.buyers.flatMap(({ trade, emoji }) =>
          emoji.map((query): Line => [query, trade]),
        ),
        ...writtenLines('queries', kind),
      ];
    default:
      return writtenLines('queries', kind);
  }
}

function writtenLines(folder: 'queries' | 'practice', kind: Kind): Line[] {
  return readLines(`${folder}/${kind.replaceAll(' ', '-')}.txt`).map((line) => {
    const at = line.lastIndexOf(' => ');
    if (at < 0) throw new Error(`a query without its need: ${line}`);
    return [line.slice(0, at), line.slice(at + 4)];
  });
}

/** The usual word of a trade, or one of its other words. */
function oneWord({ trades }: Vocabulary): Line[] {
  return [...trades.values()].map((trade, at): Line => {
    const index = at % trade.names.length;
    const word = trade.names[index]?.join(' ') ?? trade.id;
    const part = word.replaceAll(' ', '').slice(0, 5);
    const text = at % 5 === 0 ? word.toUpperCase() : word;
    return [text, index === 0 || word.includes(' ') ? trade.id : `${trade.id} word=${part}`];
  });
}

/** What buyers say in words of their own: up to two words name a trade, more of them tell what is needed. */
function inOtherWords({ buyers }: Vocabulary, ofLength: (words: number) => boolean): Line[] {
  return buyers.flatMap(({ trade, english }) =>
    english
      .filter((query) => ofLength(query.split(' ').length))
      .map((query): Line => [query, trade]),
  );
}

/** One language a trade, so that all of them are asked alike. */
function foreignWords({ buyers }: Vocabulary): Line[] {
  return buyers.flatMap(({ trade, foreign }, at) =>
    [...foreign]
      .filter(([, word], language) => word !== '' && language === at % foreign.size)
      .map(([language, word]): Line => [word, `${trade} lang=${language}`]),
  );
}

function exactNames(items: readonly Item[], random: Random): Line[] {
  const named = items.filter(({ label, words }) => label.length > 4 && words.length < 4);
  return random.sample(named, EXACT_NAMES).map(({ domain, label, tld, words }, at): Line => {
    const spellings: Line[] = [
      [domain, `name=${domain}`],
      [label, `name~${domain}`],
      [`www.${domain}`, `name=${domain}`],
      [domain.toUpperCase(), `name=${domain}`],
      [words.join(' '), `name~${domain}`],
      [`https://${domain}/`, `name=${domain}`],
      [`is ${domain} for sale`, `name=${domain}`],
      [`${label} .${tld}`, `name=${domain}`],
      [`${label} dot ${tld.replace('.', ' dot ')}`, `name=${domain}`],
    ];
    return spellings[at % spellings.length] as Line;
  });
}
