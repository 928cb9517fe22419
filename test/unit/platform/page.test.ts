import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutPageSoFar, idOf, readAllPages, readPage } from '../../../shared/platform/page.ts';

/** Reads a list of ids after one of them. */
const listOf = (count: number) => {
  const rows = Array.from({ length: count }, (_, id) => ({ id }));
  return (limit: number, after: number | null) =>
    readPage(limit, async (most) => rows.slice((after ?? -1) + 1).slice(0, most), idOf);
};

describe('paginating a list', () => {
  it.each([
    [0, [], null],
    [2, [0, 1], null],
    [3, [0, 1, 2], null],
    [4, [0, 1, 2], 2],
  ])('works for a list of %d rows', async (count, ids, next) => {
    expect(await listOf(count)(3, null)).toEqual({ rows: ids.map((id) => ({ id })), next });
  });
});

describe('paginating while filtering', () => {
  const match = (id: number) => ({ id, matches: true });
  const lastSeen = { id: 9, matches: false };

  it.each([
    ['that holds all', [match(1)], [1], null],
    ['that holds none, and there is more', [lastSeen], [], 9],
    ['that is short, and there is more', [match(1), lastSeen], [1], 9],
    ['that is full, and there is more', [match(1), match(2), lastSeen], [1, 2], 2],
    ['that is full, and more match', [match(1), match(2), match(3)], [1, 2], 2],
  ])('returns a page %s', (_, found, ids, next) => {
    const page = cutPageSoFar(found, 2, idOf);
    expect([page.rows.map(idOf), page.next]).toEqual([ids, next]);
  });
});

it('reading all pages of a list yields every row once, in order', async () => {
  const sizes = fc.record({ count: fc.nat(20), limit: fc.integer({ min: 1, max: 7 }) });
  await fc.assert(
    fc.asyncProperty(sizes, async ({ count, limit }) => {
      const read = listOf(count);
      const seen: number[] = [];
      for await (const rows of readAllPages((after: number | null) => read(limit, after))) {
        expect(rows.length).toBeLessThanOrEqual(limit);
        seen.push(...rows.map(idOf));
      }
      expect(seen).toEqual([...Array(count).keys()]);
    }),
  );
});
