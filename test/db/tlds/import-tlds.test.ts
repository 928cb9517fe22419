import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { seedTlds } from '../../../db/seeds/tlds.ts';
import { importTlds } from '../../../shared/market/tlds/import-tlds.ts';
import { findTld, listTlds } from '../../../shared/market/tlds/tld-catalogue.ts';
import type { RejectedLine } from '../../../shared/platform/line-reader.ts';
import { runOps } from '../../support/ops-command.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

const FILE = 'db/seeds/tlds.ndjson';
const lines = readFileSync(FILE, 'utf8').trim().split('\n');
const com = JSON.parse(lines.find((line) => line.includes('"tld":"com"')) ?? '{}');

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

async function importRows(rows: readonly unknown[]) {
  const rejected: RejectedLine[] = [];
  const text = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n');
  const counts = await importTlds(runtime, {
    source: Readable.from([Buffer.from(text)]),
    onRejected: (row) => rejected.push(row),
  });
  return { counts, rejected };
}

describe('importing TLDs', () => {
  it('seeds at least 50 from the data file and changes nothing on the next run', async () => {
    await seedTlds(runtime);
    const seeded = await listTlds(runtime);
    expect(seeded.length).toBe(lines.length);
    expect(seeded.length).toBeGreaterThanOrEqual(50);
    runtime.clock.advance(60_000);
    expect((await importRows(lines)).counts).toEqual({
      inserted: 0,
      updated: 0,
      unchanged: lines.length,
      rejected: 0,
    });
    expect(await listTlds(runtime)).toEqual(seeded);
  });

  it('updates only the changed TLD and applies the last line for it', async () => {
    await importRows([com]);
    const before = await findTld(runtime, 'com', '/tld');
    const neighbour = await findTld(runtime, 'net', '/tld');
    runtime.clock.advance(60_000);
    const priced = (register: number) => ({
      ...com,
      price_cents: { ...com.price_cents, register },
    });
    const { counts } = await importRows([priced(1_200), { ...priced(1_300), tld: '.COM' }]);
    expect(counts).toEqual({ inserted: 0, updated: 1, unchanged: 0, rejected: 0 });
    const after = await findTld(runtime, 'com', '/tld');
    expect(after.priceCents).toEqual({ ...before.priceCents, register: 1_300 });
    expect(after.updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime());
    expect(await findTld(runtime, 'net', '/tld')).toEqual(neighbour);
  });

  it('stores an IDN TLD as A-labels and finds it by either spelling', async () => {
    await importRows([{ ...com, tld: 'рф', type: 'country_code', unknown: 'left out' }]);
    const found = await findTld(runtime, '.РФ', '/tld');
    expect(found).toMatchObject({
      tld: 'xn--p1ai',
      unicode: 'рф',
      rules: { type: 'country_code' },
    });
    expect(found.rules).not.toHaveProperty('unknown');
    expect(found.rules).not.toHaveProperty('price_cents');
    expect(await findTld(runtime, 'xn--p1ai', '/tld')).toEqual(found);
  });

  it.each<[what: string, row: unknown, reason: RegExp]>([
    ['invalid JSON', '{"tld":', /^is not valid JSON$/],
    ['a JSON array', '[]', /^is not a JSON object$/],
    ['an invalid TLD', { ...com, tld: 'a b' }, /^\/tld must be a TLD/],
    ['a missing field', { ...com, lifecycle: undefined }, /^\/lifecycle is required$/],
    ['a negative price', { ...com, price_cents: { ...com.price_cents, renew: -1 } }, /price_cents/],
    [
      'a price as text',
      { ...com, price_cents: { ...com.price_cents, renew: '9.99' } },
      /price_cents/,
    ],
    [
      'a minimum term over the maximum',
      { ...com, term: { min_years: 3, max_years: 2 } },
      /min_years/,
    ],
    [
      'a restore price without restore',
      { ...com, lifecycle: { ...com.lifecycle, restore_supported: false } },
      /restore/,
    ],
  ])('rejects only a row with %s, by its line', async (_what, row, reason) => {
    const { counts, rejected } = await importRows([com, '', row, { ...com, tld: 'museum' }]);
    expect(counts.rejected).toBe(1);
    expect(rejected).toEqual([
      {
        line: 3,
        reason: expect.stringMatching(reason),
        row: typeof row === 'string' ? row : `${JSON.stringify(row).slice(0, 200)}…`,
      },
    ]);
    expect((await findTld(runtime, 'museum', '/tld')).tld).toBe('museum');
  });
});

describe('tld:import', () => {
  it('imports the data file and writes an audit entry', async () => {
    const { code, stdout } = await runOps(runtime, ['tld:import', '--file', FILE, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ rejected: 0 });
    const rows = await runtime.db.knex('audit_log').where({ action: 'tld:import' });
    expect(rows).toHaveLength(1);
  });
});
