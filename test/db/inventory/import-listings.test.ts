import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { delistListing, markSold } from '../../../shared/market/inventory/change-listings.ts';
import { findListing } from '../../../shared/market/inventory/find-listing.ts';
import {
  type ImportCounts,
  importListings,
} from '../../../shared/market/inventory/import-listings.ts';
import { searchListings } from '../../../shared/market/search/search-listings.ts';
import type { RejectedLine } from '../../../shared/platform/line-reader.ts';
import { Money } from '../../../shared/platform/money.ts';
import { givenSearchableListing } from '../../support/inventory.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

async function* chunks(text: string, size = 7): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function importText(
  text: string,
  format: 'csv' | 'ndjson' = 'csv',
  chunkSize?: number,
): Promise<{ counts: ImportCounts; rejected: RejectedLine[] }> {
  const rejected: RejectedLine[] = [];
  const counts = await importListings(runtime, {
    environment: 'SANDBOX',
    source: chunks(text, chunkSize),
    format,
    onRejected: (row) => rejected.push(row),
  });
  return { counts, rejected };
}

const find = (domain: string, environment: 'SANDBOX' | 'LIVE' = 'SANDBOX') =>
  findListing(runtime, { environment, domain });

describe('importing listings', () => {
  it('reads a CSV with quotes, line breaks, accents, and a byte order mark', async () => {
    const { counts, rejected } = await importText(
      '\ufeffdomain,price_cents,currency,floor_price_cents,description,category,keywords\r\n' +
        'silverkettle.com,125000,USD,100000,"Tea, ""properly""\nbrewed",Food,"tea, kettle"\r\n' +
        '\r\n' +
        'grünetasse.de,90000,EUR,,,,\r\n',
    );
    expect(rejected).toEqual([]);
    expect(counts).toEqual({ inserted: 2, updated: 0, unchanged: 0, rejected: 0 });
    expect(await find('silverkettle.com')).toMatchObject({
      price: new Money(125_000, 'USD'),
      floorPrice: new Money(100_000, 'USD'),
      description: 'Tea, "properly"\nbrewed',
      category: 'Food',
      keywords: ['tea', 'kettle'],
      status: 'listed',
    });
    expect(await find('xn--grnetasse-r9a.de')).toMatchObject({
      domainUnicode: 'grünetasse.de',
      price: new Money(90_000, 'EUR'),
      floorPrice: null,
      description: null,
      keywords: [],
    });
  });

  it('accepts yes and no for offers in a few spellings and rejects anything else', async () => {
    const { counts, rejected } = await importText(
      'domain,price_cents,offers_accepted\n' +
        'offers-one.com,5000,Yes\noffers-two.com,5000,0\noffers-three.com,5000,\noffers-four.com,5000,maybe\n',
    );
    expect(counts).toMatchObject({ inserted: 3, rejected: 1 });
    expect(rejected).toMatchObject([{ line: 5, reason: 'offers_accepted must be true or false' }]);
    expect(await find('offers-one.com')).toMatchObject({ offersAccepted: true });
    expect(await find('offers-two.com')).toMatchObject({ offersAccepted: false });
  });

  it('reads NDJSON and applies the last line for a domain', async () => {
    const { counts } = await importText(
      '{"domain":"coppermill.com","price_cents":5000,"currency":"USD"}\n' +
        '{"domain":"CopperMill.com","price_cents":7000,"keywords":["copper","mill"],"offers_accepted":true}',
      'ndjson',
    );
    expect(counts).toEqual({ inserted: 1, updated: 1, unchanged: 0, rejected: 0 });
    expect(await find('coppermill.com')).toMatchObject({
      price: new Money(7_000, 'USD'),
      keywords: ['copper', 'mill'],
      offersAccepted: true,
    });
  });

  it('rejects a bad CSV row with its line and reason and imports all others', async () => {
    const { counts, rejected } = await importText(
      [
        'domain,price_cents,description',
        'goodone.com,1000,fine',
        'www.notregistrable.com,1000,',
        'halfprice.com,10.5,',
        'negative.com,-5,',
        'noprice.com,,',
        'toofew.com',
        'open"quote.com,1000,',
        'opened.com,1000,"never closed',
        'goodtwo.com,1000,fine',
        `toolong.com,1000,${'x'.repeat(70_000)}`,
        'control.com,1000,a\u0000b',
        'goodthree.com,1000,last',
      ].join('\n'),
    );
    expect(rejected.map(({ line }) => line)).toEqual([3, 4, 5, 6, 7, 8, 9, 11, 12]);
    expect(rejected[0]?.reason).toMatch(/domain .*did you mean notregistrable.com/);
    expect(rejected[1]?.reason).toMatch(/price_cents must be a whole number/);
    expect(rejected[4]?.reason).toMatch(/has 1 fields/);
    expect(rejected.map(({ row }) => row)).toEqual([
      'www.notregistrable.com,1000,',
      'halfprice.com,10.5,',
      'negative.com,-5,',
      'noprice.com,,',
      'toofew.com',
      'open"quote.com,1000,',
      'opened.com,1000,"never closed',
      `toolong.com,1000,${'x'.repeat(183)}…`,
      'control.com,1000,a\\u0000b',
    ]);
    expect(counts).toEqual({ inserted: 3, updated: 0, unchanged: 0, rejected: 9 });
    for (const name of ['goodone', 'goodtwo', 'goodthree']) {
      expect(await find(`${name}.com`)).toBeDefined();
    }
  });

  it('rejects bad NDJSON lines one by one', async () => {
    const { counts, rejected } = await importText(
      '{"domain":"jsonone.com","price_cents":1000}\nnot json\n[]\n{"price_cents":5}\n' +
        '{"domain":"x.com","price_cents":"1e3"}\n{"domain":"jsonlone.com","price_cents":1000,"description":"\\ud800"}\n' +
        '{"domain":"jsontwo.com","price_cents":1000,"currency":"ZZZ"}\n{"domain":"jsonthree.com","price_cents":1000}\n',
      'ndjson',
    );
    expect(counts).toEqual({ inserted: 2, updated: 0, unchanged: 0, rejected: 6 });
    expect(rejected.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6, 7]);
    expect(rejected.slice(0, 3).map(({ row }) => row)).toEqual([
      'not json',
      '[]',
      '{"price_cents":5}',
    ]);
  });

  it('updates terms, relists delisted names, and leaves sold ones alone', async () => {
    await givenSearchableListing(runtime, { domain: 'pinewagon.com' });
    await delistListing(runtime, { environment: 'SANDBOX', domain: 'pinewagon.com' });
    const sold = await givenSearchableListing(runtime, { domain: 'oakwagon.com' });
    await runtime.db.transact((uow) => markSold(uow, { ...sold, environment: 'SANDBOX' }));
    const { counts, rejected } = await importText(
      'domain,price_cents\npinewagon.com,3000\noakwagon.com,3000\n',
    );
    expect(counts).toEqual({ inserted: 0, updated: 1, unchanged: 0, rejected: 1 });
    expect(rejected).toEqual([
      { line: 3, reason: 'oakwagon.com is sold', row: 'oakwagon.com,3000' },
    ]);
    expect(await find('pinewagon.com')).toMatchObject({
      status: 'listed',
      price: new Money(3_000, 'USD'),
    });
    expect(await find('oakwagon.com')).toMatchObject({
      status: 'sold',
      price: new Money(485_000, 'USD'),
    });
    const found = await searchListings(runtime, { environment: 'SANDBOX', query: 'wagon' });
    expect(found.map(({ domain }) => domain)).toEqual(['pinewagon.com']);
  });

  it('keeps the terms for which a file has no column, and empties those whose field is empty', async () => {
    await importText(
      'domain,price_cents,currency,floor_price_cents,offers_accepted,description,category,keywords\n' +
        'keptterms.com,90000,EUR,80000,yes,Words,Food,tea;kettle\n',
    );
    const full = await find('keptterms.com');
    const again = await importText('domain,price_cents\nkeptterms.com,90000\n');
    expect(again.counts).toEqual({ inserted: 0, updated: 0, unchanged: 1, rejected: 0 });

    const dearer = await importText('domain,price_cents\nkeptterms.com,95000\n');
    expect(dearer.counts).toMatchObject({ updated: 1, rejected: 0 });
    expect(await find('keptterms.com')).toMatchObject({
      price: new Money(95_000, 'EUR'),
      floorPrice: new Money(80_000, 'EUR'),
      offersAccepted: true,
      description: 'Words',
      category: 'Food',
      keywords: ['tea', 'kettle'],
      listedAt: full?.listedAt,
    });

    await importText('{"domain":"keptterms.com","price_cents":70000,"category":null}', 'ndjson');
    expect(await find('keptterms.com')).toMatchObject({
      price: new Money(70_000, 'EUR'),
      floorPrice: new Money(70_000, 'EUR'),
      description: 'Words',
      category: null,
    });

    await importText('domain,price_cents,currency\nkeptterms.com,70000,USD\n');
    expect(await find('keptterms.com')).toMatchObject({
      price: new Money(70_000, 'USD'),
      floorPrice: null,
      keywords: ['tea', 'kettle'],
    });

    await importText(
      'domain,price_cents,currency,offers_accepted,description,keywords\nkeptterms.com,70000,,,,\n',
    );
    expect(await find('keptterms.com')).toMatchObject({
      price: new Money(70_000, 'USD'),
      offersAccepted: false,
      description: null,
      keywords: [],
    });
  });

  it('rejects domains that are not for sale, such as .gov names', async () => {
    const { counts, rejected } = await importText(
      'domain,price_cents\ngov.gov,1000\nschool.edu,1000\nstreet.gov.uk,1000\ngovlike.com,1000\n',
    );
    expect(counts).toMatchObject({ inserted: 1, rejected: 3 });
    expect(rejected[0]).toEqual({
      line: 2,
      reason:
        'domain must not end in .gov: names there belong to public authorities and are not for sale',
      row: 'gov.gov,1000',
    });
    expect(await find('gov.gov')).toBeUndefined();
  });

  it('imports thousands of rows in batches and reports progress', async () => {
    const rows = Array.from({ length: 2_500 }, (_, at) => `batchrow${at}.com,1000`);
    const seen: ImportCounts[] = [];
    const lines: number[] = [];
    const run = () =>
      importListings(runtime, {
        environment: 'LIVE',
        source: chunks(`domain,price_cents\n${rows.join('\n')}`, 65_536),
        format: 'csv',
        onProgress: (counts, line) => {
          seen.push(counts);
          lines.push(line);
        },
      });
    expect(await run()).toEqual({ inserted: 2_500, updated: 0, unchanged: 0, rejected: 0 });
    expect(seen.map(({ inserted }) => inserted)).toEqual([1_000, 2_000, 2_500]);
    // The last processed line, not how far it has read ahead; the header is line 1.
    expect(lines).toEqual([1_001, 2_001, 2_501]);
    const before = await find('batchrow0.com', 'LIVE');
    expect(await run()).toEqual({ inserted: 0, updated: 0, unchanged: 2_500, rejected: 0 });
    expect(await find('batchrow0.com', 'LIVE')).toEqual(before);
  });

  it('ignores blank rows written by spreadsheets', async () => {
    const text = 'domain,price_cents,currency\nblankrows.com,1000,USD\n,,\n , ,\r\n\n';
    const { counts } = await importText(text);
    expect(counts).toMatchObject({ inserted: 1, rejected: 0 });
  });

  it('explains when a CSV uses semicolons or tabs instead of commas', async () => {
    for (const [text, signs] of [
      ['domain;price_cents\nx.com;5\n', 'semicolons'],
      ['"Domain"\t"price_cents"\nx.com\t5\n', 'tabs'],
    ] as const) {
      const message = `has ${signs} between its fields: save it with commas`;
      await expect(importText(text)).rejects.toMatchObject({
        code: 'validation_error',
        details: [{ path: '/file', message }],
      });
    }
  });

  it('rejects a CSV without its header', async () => {
    for (const text of ['', 'silverkettle.com,125000\n', 'domain,price\nx.com,5\n']) {
      await expect(importText(text)).rejects.toMatchObject({ code: 'validation_error' });
    }
  });
});
