import { readFileSync } from 'node:fs';
import { stem } from './stem.ts';

/** A word's role in a group: a synonym of its topic, or a related word. */
export type Membership = 'core' | 'related';

export interface Thesaurus {
  /** Returns the groups of a stem; look up two-word terms as `real_estate`, each word stemmed. */
  groupsOf(stemmed: string): ReadonlyMap<string, Membership>;
  /** Returns the stems of a group. */
  stemsOf(group: string): { core: readonly string[]; related: readonly string[] };
  /** Every single word in the thesaurus. */
  words: ReadonlySet<string>;
}

const NONE: ReadonlyMap<string, Membership> = new Map();

let loaded: Thesaurus | undefined;

/** Returns the groups of `thesaurus.txt`, loaded on first use. */
export function thesaurus(): Thesaurus {
  loaded ??= parseThesaurus(readFileSync(new URL('./thesaurus.txt', import.meta.url), 'utf8'));
  return loaded;
}

/** Parses the format described at the top of `thesaurus.txt`. @throws Error naming the invalid line */
export function parseThesaurus(text: string): Thesaurus {
  const groups = new Map<string, { core: string[]; related: string[] }>();
  const groupsOf = new Map<string, Map<string, Membership>>();
  const words = new Set<string>();
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, name, core = '', related = ''] =
      /^([a-z_]+): ([a-z0-9_ ]+?)(?: \| ([a-z0-9_ ]+))?$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`thesaurus line ${at + 1}: not "name: words | words"`);
    if (groups.has(name)) throw new Error(`thesaurus line ${at + 1}: a second group ${name}`);
    const group = { core: stemsIn(core), related: stemsIn(related) };
    groups.set(name, group);
    for (const membership of ['related', 'core'] as const) {
      for (const stemmed of group[membership]) {
        groupsOf.set(stemmed, (groupsOf.get(stemmed) ?? new Map()).set(name, membership));
      }
    }
    for (const word of `${core} ${related}`.split(/[ _]/)) if (word !== '') words.add(word);
  }
  return {
    groupsOf: (stemmed) => groupsOf.get(stemmed) ?? NONE,
    stemsOf: (group) => groups.get(group) ?? { core: [], related: [] },
    words,
  };
}

function stemsIn(words: string): string[] {
  const terms = words.split(' ').filter((word) => word !== '');
  return [...new Set(terms.map((term) => term.split('_').map(stem).join('_')))];
}
