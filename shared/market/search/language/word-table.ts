/**
 * Words with a number each, in a few flat arrays: a `Map` of a hundred thousand strings takes several times the
 * memory. Words are ASCII and stay in the order in which they came.
 */
export interface WordTable {
  size: number;
  /** The number of a word; undefined for one that is not there. */
  get(word: string): number | undefined;
  /** Its place in the order in which words came. */
  indexOf(word: string): number | undefined;
  wordAt(index: number): string;
  numberAt(index: number): number;
  /** Adds a word, or gives it another number. */
  set(word: string, number: number): void;
}

/** A table with room for `words` words of `letters` letters together. */
export function createWordTable({ words, letters }: { words: number; letters: number }): WordTable {
  const text = Buffer.alloc(letters);
  const ends = new Uint32Array(words + 1);
  const numbers = new Uint32Array(words);
  // Open addressing, at most half full: a word's index + 1 stands where its hash points, or behind; 0 is free.
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * words)));
  const mask = slots.length - 1;

  const isAt = (index: number, word: string) => {
    const start = ends[index] ?? 0;
    if ((ends[index + 1] ?? 0) - start !== word.length) return false;
    for (let at = 0; at < word.length; at += 1) {
      if (text[start + at] !== word.charCodeAt(at)) return false;
    }
    return true;
  };
  /** The slot of a word, or the free one where it would stand. */
  const slotOf = (word: string) => {
    let slot = hashOf(word) & mask;
    for (let entry = slots[slot]; entry; entry = slots[slot]) {
      if (isAt(entry - 1, word)) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  };

  const table: WordTable = {
    size: 0,
    get(word) {
      const entry = slots[slotOf(word)];
      return entry ? numbers[entry - 1] : undefined;
    },
    indexOf(word) {
      const entry = slots[slotOf(word)];
      return entry ? entry - 1 : undefined;
    },
    wordAt: (index) => text.toString('latin1', ends[index], ends[index + 1]),
    numberAt: (index) => numbers[index] ?? 0,
    set(word, number) {
      const slot = slotOf(word);
      let entry = slots[slot] ?? 0;
      if (entry === 0) {
        const start = ends[table.size] ?? 0;
        if (table.size === words || start + word.length > letters)
          throw new RangeError(`no room for ${word}`);
        text.write(word, start, 'latin1');
        ends[table.size + 1] = start + word.length;
        table.size += 1;
        entry = table.size;
        slots[slot] = entry;
      }
      numbers[entry - 1] = number;
    },
  };
  return table;
}

// Taken once: a global is slow to look up where code runs in a context of its own, as tests do.
const { imul } = Math;

/** FNV-1a over the letters, 32 bits. */
export function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at += 1) {
    hash = imul(hash ^ word.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}
