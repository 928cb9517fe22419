import { createHash } from 'node:crypto';
import type { Item } from './inventory.ts';
import { type Need, readNeed } from './need.ts';
import { filesOf, readEach, readLines, type Vocabulary } from './vocabulary.ts';

/** What a buyer typed, and what they are looking for. */
export interface BuyerQuery {
  query: string;
  kind: string;
  need: Need;
  heldOut: boolean;
}

/** How many names of the inventory are searched by name. */
const EXACT_NAMES = 90;
const EXACT_NAME = 'exact name';

/**
 * Reads all queries, without duplicates: a file for each kind, and the exact names. Their needs were written by hand
 * with them, not derived from their words.
 * @throws Error with the file and line of each need that can't be read
 */
export function readQueries(vocabulary: Vocabulary, items: readonly Item[]): BuyerQuery[] {
  const files = [...filesOf('queries'), ...filesOf('queries/languages')];
  const written = readEach(
    files.flatMap((file) => readLines(file).map((line) => ({ ...line, kind: kindOf(file) }))),
    ({ text, kind }) => {
      const at = text.lastIndexOf(' => ');
      if (at < 0) throw new Error('a query without its need');
      return toQuery(kind, text.slice(0, at), text.slice(at + 4), vocabulary);
    },
  );
  const exact = exactNames(items).map(([query, facts]) =>
    toQuery(EXACT_NAME, query, facts, vocabulary),
  );
  const once = new Map([...written, ...exact].reverse().map((query) => [query.query, query]));
  return [...once.values()].reverse();
}

/** Returns the kind of a file's queries: "long text" for `long-text.txt`, "language de" for `languages/de.txt`. */
function kindOf(file: string): string {
  const [, folder, name = ''] = /([^/]+)\/([^/]+)\.txt$/.exec(file) ?? [];
  return folder === 'languages' ? `language ${name}` : name.replaceAll('-', ' ');
}

function toQuery(kind: string, query: string, facts: string, vocabulary: Vocabulary): BuyerQuery {
  return {
    query,
    kind,
    need: readNeed(facts, vocabulary),
    heldOut: digestOf(query) % 3 === 0,
  };
}

/** Returns a hash that picks a third of the queries to hold out by their text alone, so that nobody can choose them. */
function digestOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE();
}

/** Returns some names as people type them, also picked by a hash. */
function exactNames(items: readonly Item[]): [query: string, facts: string][] {
  return items
    .filter(({ label, words }) => label.length > 4 && words.length < 4)
    .map((item) => ({ item, digest: digestOf(`exact ${item.domain}`) }))
    .sort((one, other) => one.digest - other.digest)
    .slice(0, EXACT_NAMES)
    .map(({ item: { domain, label, tld, words } }, at) => {
      const spellings: [query: string, facts: string][] = [
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
      return spellings[at % spellings.length] as [string, string];
    });
}
