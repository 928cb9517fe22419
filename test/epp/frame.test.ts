import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  createFrameDecoder,
  EppFrameError,
  encodeFrame,
} from '../../shared/domains/epp/epp-frame.ts';

const header = (length: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(length | 0);
  return bytes;
};

describe('EPP data units', () => {
  it('decode the same however the connection splits them', () => {
    const documents = fc.array(fc.string({ minLength: 1, maxLength: 300, unit: 'binary' }), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(documents, fc.array(fc.nat(2_000), { maxLength: 60 }), (sent, cuts) => {
        const stream = Buffer.concat(sent.map(encodeFrame));
        const places = [...new Set(cuts.map((cut) => cut % (stream.length + 1)))].sort(
          (a, b) => a - b,
        );
        const decoder = createFrameDecoder();
        const read = [...places, stream.length].flatMap((end, at) =>
          decoder.push(stream.subarray(places[at - 1] ?? 0, end)),
        );
        expect(read.map(String)).toEqual(sent.map((text) => Buffer.from(text).toString()));
        expect(decoder.isInside()).toBe(false);
      }),
    );
  });

  it('decode one byte at a time', () => {
    const decoder = createFrameDecoder();
    const read = [...encodeFrame('<epp/>')].flatMap((byte) => decoder.push(Buffer.from([byte])));
    expect(read.map(String)).toEqual(['<epp/>']);
  });

  it.each([
    ['zero', 0],
    ['its own header only', 4],
    ['shorter than its header', 3],
    ['negative', -1],
    ['the most negative', -2_147_483_648],
    ['one byte too long', 1_025],
  ])('are rejected at the header when the length is %s', (_what, length) => {
    expect(() => createFrameDecoder({ maxBytes: 1_024 }).push(header(length))).toThrow(
      EppFrameError,
    );
  });

  it('can be as long as the limit', () => {
    const decoder = createFrameDecoder({ maxBytes: 1_024 });
    expect(decoder.push(encodeFrame('x'.repeat(1_020)))).toHaveLength(1);
  });

  it('are returned when they precede an invalid one', () => {
    const decoder = createFrameDecoder();
    expect(decoder.push(encodeFrame('<epp/>'))).toHaveLength(1);
    expect(() => decoder.push(header(0))).toThrow('0 bytes');
  });

  it('report an incomplete unit', () => {
    const decoder = createFrameDecoder();
    decoder.push(encodeFrame('<epp/>').subarray(0, 7));
    expect(decoder.isInside()).toBe(true);
  });
});
