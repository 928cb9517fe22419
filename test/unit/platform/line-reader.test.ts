import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type FileRow, readListingFile } from '../../../shared/market/inventory/listing-file.ts';
import { readLines } from '../../../shared/platform/line-reader.ts';

async function* from(...chunks: (string | Uint8Array)[]) {
  yield* chunks;
}
async function rowsOf(file: string | Uint8Array): Promise<FileRow[]> {
  const rows: FileRow[] = [];
  for await (const row of readListingFile(from(file), 'csv')) rows.push(row);
  return rows;
}

describe('reading lines of a file', () => {
  it('accepts LF, CRLF, and CR, however the stream is split', async () => {
    const end = fc.constantFrom('\n', '\r\n', '\r');
    const lines = fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,5}$/), end), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(lines, fc.array(fc.nat(60), { maxLength: 6 }), async (given, cuts) => {
        const bytes = Buffer.from(given.map((each) => each.join('')).join(''));
        const places = [...new Set(cuts.filter((cut) => cut < bytes.length))].sort((a, b) => a - b);
        const chunks = [...places, bytes.length].map((to, at) =>
          bytes.subarray(places[at - 1] ?? 0, to),
        );
        const read: (string | null)[] = [];
        for await (const { text } of readLines(from(...chunks))) read.push(text);
        expect(read).toEqual(given.map(([text]) => text));
      }),
    );
  });
});

describe('reading a listings file', () => {
  it('accepts lines that end with just CR', async () => {
    const rows = await rowsOf('domain,price_cents\rone.com,100\rtwo.com,200\r');
    expect(rows).toMatchObject([
      { input: { domain: 'one.com' } },
      { input: { domain: 'two.com' } },
    ]);
  });

  it.each([
    ['Windows-1252', Buffer.from('domain,price_cents\ncaf\xe9.com,100\n', 'latin1'), 'line 2'],
    ['UTF-16', Buffer.from('\ufeffdomain,price_cents\none.com,100\n', 'utf16le'), 'line 1'],
  ])('rejects %s, naming the line and how to save the file', async (_encoding, file, line) => {
    await expect(rowsOf(file)).rejects.toMatchObject({
      code: 'validation_error',
      details: [{ path: '/file', message: expect.stringContaining(`(${line}): save it as`) }],
    });
  });

  it('rejects a repeated column', async () => {
    await expect(rowsOf('domain,Domain,price_cents\na.com,b.com,1')).rejects.toMatchObject({
      details: [{ message: 'names the column domain twice: keep one of them' }],
    });
  });
});
