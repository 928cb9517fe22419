import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EmbeddingError } from '../../../shared/market/search/embeddings/embedder.ts';
import { readVectors } from '../../../shared/market/search/embeddings/http-embedder.ts';
import { inBase64 } from '../../support/embeddings-stand-in.ts';

const answer = (data: unknown) => Buffer.from(JSON.stringify({ data }));
const read = (data: unknown, count: number) =>
  readVectors(answer(data), count).map((vector) => [...vector]);

describe('embeddings in a response', () => {
  it('are returned in input order with length 1, from base64 or lists', () => {
    expect(
      read(
        [
          { index: 1, embedding: [0, -2] },
          { index: 0, embedding: inBase64([5, 0]) },
        ],
        2,
      ),
    ).toEqual([
      [1, 0],
      [0, -1],
    ]);
  });

  it('keep their order if no index is given', () => {
    expect(read([{ embedding: [1, 0] }, { embedding: [0, 1] }], 2)).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  it.each([
    ['no list', 'none', 1],
    ['too few', [{ index: 0, embedding: [1] }], 2],
    ['too many', [{ embedding: [1] }, { embedding: [1] }], 1],
    [
      'a repeated index',
      [
        { index: 0, embedding: [1] },
        { index: 0, embedding: [1] },
      ],
      2,
    ],
    ['an index out of range', [{ index: 1, embedding: [1] }], 1],
    ['an index as text', [{ index: '0', embedding: [1] }], 1],
    ['two dimensions', [{ embedding: [1] }, { embedding: [1, 0] }], 2],
    ['no numbers', [{ embedding: [] }], 1],
    ['words', [{ embedding: ['1'] }], 1],
    ['nothing', [null], 1],
    ['truncated bytes', [{ embedding: Buffer.alloc(5, 1).toString('base64') }], 1],
    ['only zeros', [{ embedding: [0, 0] }], 1],
    ['a number that is not finite', [{ embedding: inBase64([Number.NaN]) }], 1],
    ['a vector that is too long', [{ embedding: Array(8_193).fill(1) }], 1],
  ])('are rejected when there is %s', (_what, data, count) => {
    expect(() => read(data, count)).toThrow(EmbeddingError);
  });

  it('are either valid or rejected, whatever arrives', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        try {
          for (const vector of readVectors(Buffer.from(text), 1)) {
            expect(Math.hypot(...vector)).toBeCloseTo(1, 3);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(EmbeddingError);
        }
      }),
    );
  });
});
