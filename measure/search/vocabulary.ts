import { readFileSync } from 'node:fs';

/** A line of business: what owners write about it, and which trades are near it. */
export interface Trade {
  id: string;
  /** Words that stand in names, each as its parts: `[['roof'], ['heat', 'pump']]`; the first is the usual one. */
  names: string[][];
  /** Keywords that owners give. */
  tags: string[];
  /** What such a business does, as a phrase. */
  about: string;
  /** Trades of the same field: a listing of one is a good second choice. */
  near: Set<string>;
  /** Trades that have something to do with it. */
  adjacent: Set<string>;
}

/** What buyers call a trade. None of it is ever put into a listing. */
interface BuyerWords {
  trade: string;
  english: string[];
  /** By language: `es`, `de`, `fr`, `pt`, `it`, `nl`, `ru`, `zh`, `ja`. */
  foreign: Map<string, string>;
  emoji: string[];
}

/** A concept and the words for it that stand in names: `fast` as `swift`, `turbo`. */
export interface Concept {
  id: string;
  words: string[][];
}

export interface Vocabulary {
  trades: Map<string, Trade>;
  buyers: BuyerWords[];
  modifiers: Concept[];
  audiences: Concept[];
  places: Concept[];
  prefixes: string[][];
  suffixes: string[][];
  numbers: string[][];
  /** Evocative dictionary words that could name anything. */
  brandWords: string[][];
  /** Names in a language other than English, by language, each with its trade. */
  local: { language: string; word: string; trade: string }[];
}

const LANGUAGES = ['es', 'de', 'fr', 'pt', 'it', 'nl', 'ru', 'zh', 'ja'];

/** All of the vocabulary. Nothing of it is read from the search code or from the demo inventory. */
export function readVocabulary(): Vocabulary {
  const trades = readTrades();
  const words = readLines('vocabulary/words.txt').map((line) => {
    const [, kind = '', id = '', list = ''] = /^(\S+) (\S+): (.*)$/.exec(line) ?? [];
    return { kind, id, list };
  });
  const concepts = (kind: string): Concept[] =>
    words
      .filter((line) => line.kind === kind)
      .map(({ id, list }) => ({ id, words: readWords(list) }));
  const listed = (kind: string) => concepts(kind).flatMap((concept) => concept.words);
  return {
    trades,
    buyers: readBuyers(),
    modifiers: concepts('modifier'),
    audiences: concepts('audience'),
    places: concepts('place'),
    prefixes: listed('prefix'),
    suffixes: listed('suffix'),
    numbers: listed('numbered'),
    brandWords: listed('word'),
    local: words
      .filter(({ kind }) => kind === 'local')
      .flatMap(({ id, list }) =>
        split(list, ' ').map((entry) => {
          const [word = '', trade = ''] = entry.split(':');
          return { language: id, word, trade };
        }),
      ),
  };
}

/** One half of the trades, each half with words of its own; everything that is not of a trade stays. */
export function halfOf(vocabulary: Vocabulary, half: 'first' | 'second'): Vocabulary {
  const ids = [...vocabulary.trades.keys()];
  const kept = new Set(ids.filter((_, at) => at % 2 === (half === 'first' ? 0 : 1)));
  return {
    ...vocabulary,
    trades: new Map([...vocabulary.trades].filter(([id]) => kept.has(id))),
    buyers: vocabulary.buyers.filter(({ trade }) => kept.has(trade)),
    local: vocabulary.local.filter(({ trade }) => kept.has(trade)),
  };
}

/** Lines of a file beside this one, without comments and empty lines. */
export function readLines(file: string): string[] {
  return split(readFileSync(new URL(file, import.meta.url), 'utf8'), '\n').filter(
    (line) => !line.startsWith('#'),
  );
}

function readTrades(): Map<string, Trade> {
  const trades = new Map<string, Trade>();
  for (const line of readLines('vocabulary/trades.txt')) {
    const [id = '', names = '', tags = '', about = '', near = '', adjacent = ''] = columns(line);
    trades.set(id, {
      id,
      names: readWords(names),
      tags: split(tags, ','),
      about,
      near: new Set(split(near, ' ')),
      adjacent: new Set(split(adjacent, ' ')),
    });
  }
  for (const trade of trades.values()) {
    for (const id of trade.near) trades.get(id)?.near.add(trade.id);
    for (const id of trade.adjacent) trades.get(id)?.adjacent.add(trade.id);
  }
  return trades;
}

function readBuyers(): BuyerWords[] {
  return readLines('vocabulary/buyers.txt').map((line) => {
    const [trade = '', english = '', ...rest] = columns(line);
    return {
      trade,
      english: split(english, ';'),
      foreign: new Map(LANGUAGES.map((language, at) => [language, rest[at] ?? ''])),
      emoji: split(rest[LANGUAGES.length] ?? '', ' '),
    };
  });
}

function readWords(list: string): string[][] {
  return split(list, ' ').map((word) => word.split('+'));
}

function columns(line: string): string[] {
  return line.split('|').map((column) => column.trim());
}

function split(text: string, by: string): string[] {
  return text
    .split(by)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
