import { readdirSync, readFileSync } from 'node:fs';

/** A line of business, and its related trades. */
interface Trade {
  id: string;
  /** Words for it as they occur in names, without spaces: `heatpump`. */
  words: string[];
  /** Trades in the same field: their listings are a good second choice. */
  near: Set<string>;
  /** Trades that are loosely related. */
  adjacent: Set<string>;
}

/** The ids used in facts about names and queries. */
export interface Vocabulary {
  trades: ReadonlyMap<string, Trade>;
  modifiers: ReadonlySet<string>;
  audiences: ReadonlySet<string>;
  /** Each place, with all places that contain it. */
  places: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A line of a data file. */
export interface Line {
  text: string;
  /** File and line number, for error messages. */
  at: string;
}

/** Reads the vocabulary. None of it comes from the search code or the demo inventory. */
export function readVocabulary(): Vocabulary {
  const words = readLines('vocabulary/words.txt').map(({ text }) => text.split(/[ :]/));
  const idsOf = (kind: string) =>
    new Set(words.filter(([first]) => first === kind).map(([, id = '']) => id));
  return {
    trades: readTrades(),
    modifiers: idsOf('modifier'),
    audiences: idsOf('audience'),
    places: readPlaces(),
  };
}

/** Returns the text files of a folder next to this file, sorted by name. */
export function filesOf(folder: string): string[] {
  return readdirSync(new URL(folder, import.meta.url))
    .filter((name) => name.endsWith('.txt'))
    .sort()
    .map((name) => `${folder}/${name}`);
}

/** Returns the lines of a file in this folder, without comments and empty lines. */
export function readLines(file: string): Line[] {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
    .split('\n')
    .map((line, at) => ({ text: line.trim(), at: `measure/search/${file}:${at + 1}` }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'));
}

/**
 * Reads all lines before it fails, so that one run reports every mistake.
 * @throws Error with the file and line of each one that `read` rejects
 */
export function readEach<L extends Line, T>(lines: readonly L[], read: (line: L) => T): T[] {
  const faults: string[] = [];
  const found = lines.flatMap((line) => {
    try {
      return [read(line)];
    } catch (error) {
      faults.push(`${line.at}: ${error instanceof Error ? error.message : error}`);
      return [];
    }
  });
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return found;
}

/** Returns the columns of a line, padded to at least `count`. */
export function columns(line: string, count: number): string[] {
  const found = line.split('|').map((column) => column.trim());
  return [...found, ...Array.from({ length: Math.max(count - found.length, 0) }, () => '')];
}

export function split(text: string, by: string | RegExp): string[] {
  return text
    .split(by)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/**
 * Returns the ids in a fact such as `pizza|pasta`.
 * @throws Error for an id that isn't in the vocabulary
 */
export function knownIds(vocabulary: Vocabulary, kind: keyof Vocabulary, list: string): string[] {
  const ids = split(list, /[|,\s]/);
  const unknown = ids.find((id) => !vocabulary[kind].has(id));
  if (unknown !== undefined) throw new Error(`${unknown} is none of the ${kind}`);
  return ids;
}

/** Returns whether a place is one of `others` or within one of them. */
export function isWithin(
  places: Vocabulary['places'],
  place: string,
  others: readonly string[],
): boolean {
  return others.some((other) => place === other || places.get(place)?.has(other));
}

function readTrades(): Map<string, Trade> {
  const trades = new Map<string, Trade>();
  for (const { text } of readLines('vocabulary/trades.txt')) {
    const [id = '', words = '', near = '', adjacent = ''] = columns(text, 4);
    trades.set(id, {
      id,
      words: split(words.replaceAll('+', ''), ' '),
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

/** Reads lines such as `brooklyn: brooklyn, bk | new-york`; the names only help authors of names and queries. */
function readPlaces(): Map<string, Set<string>> {
  const parents = new Map(
    readLines('vocabulary/places.txt').map(({ text }) => {
      const [first = '', containedIn = ''] = columns(text, 2);
      return [first.split(':')[0] ?? '', split(containedIn, /[ ,]/)];
    }),
  );
  const containersOf = (id: string, seen: ReadonlySet<string>): string[] =>
    (parents.get(id) ?? [])
      .filter((parent) => !seen.has(parent))
      .flatMap((parent) => [parent, ...containersOf(parent, new Set([...seen, parent]))]);
  return new Map([...parents.keys()].map((id) => [id, new Set(containersOf(id, new Set([id])))]));
}
