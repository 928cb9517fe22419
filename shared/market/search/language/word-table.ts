/**
 * Words with a number each, in a few flat arrays: a `Map` of a hundred thousand strings takes several times the memory.
 * Words are ASCII and keep their insertion order.
 */
export interface WordTable {
  size: number;
  /** Returns the number of a word; undefined if it is missing. */
  get(word: string): number | undefined;
  wordAt(index: number): string;
  numberAt(index: number): number;
  /** Adds a word or replaces its number. */
  set(word: string, number: number): void;
}

/** Creates a table with room for `words` words of `letters` letters in total. */
export function createWordTable({ words, letters }: { words: number; letters: number }): WordTable {
  const text = Buffer.alloc(letters);
  const ends = new Uint32Array(words + 1);
  const numbers = new Uint32Array(words);
  // Open addressing, at most half full: the slot at a word's hash or after it holds its index + 1; 0 is free.
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
  /** Returns the slot of a word, or the free slot to insert it. */
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

// Cached: global lookups are slow in a separate context, such as in tests.
const { imul } = Math;

/** Returns the 32-bit FNV-1a hash of the letters. */
export function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at += 1) {
    hash = imul(hash ^ word.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}
