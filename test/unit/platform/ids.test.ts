import { describe, expect, it } from '@jest/globals';
import { ID_PREFIXES, isId, newId, randomBase62 } from '../../../shared/platform/ids.ts';

describe('identifiers', () => {
  const at = new Date('2026-11-20T09:30:00.123Z');

  it('have a unique prefix for their kind and 26 characters', () => {
    expect(newId('order', at)).toMatch(/^ord_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    expect(isId('order', newId('order', at))).toBe(true);
    expect(isId('event', newId('order', at))).toBe(false);
    const prefixes = Object.values(ID_PREFIXES);
    expect(new Set(prefixes).size).toBe(prefixes.length);
  });

  it('sort by time, and by creation order within a millisecond', () => {
    const made = [
      ...Array.from({ length: 500 }, () => newId('order', at)),
      newId('order', new Date(at.getTime() + 1)),
      newId('order', new Date(at.getTime() + 3_600_000)),
    ];
    expect([...made].sort()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
  });

  it('use random text from the whole alphabet', () => {
    expect(randomBase62(5_000)).toMatch(/^[0-9A-Za-z]{5000}$/);
    expect(new Set(randomBase62(5_000)).size).toBe(62);
  });
});
