import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { importTlds } from '../../../shared/market/tlds/import-tlds.ts';
import { createTldCatalogue } from '../../../shared/market/tlds/tld-catalogue.ts';
import type { Database } from '../../../shared/messaging/unit-of-work/database.ts';
import { countStatements } from '../../support/inventory.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

const KEEP_MS = 1_000;

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
  runtime.clock.set('2026-11-20T09:30:00.000Z');
});
afterAll(() => runtime.stop());

/** Sells names under `.com` at this price. */
async function sellAt(register: number): Promise<void> {
  const com = readFileSync('db/seeds/tlds.ndjson', 'utf8')
    .split('\n')
    .map((line) => JSON.parse(line || '{}'))
    .find(({ tld }) => tld === 'com');
  const row = { ...com, price_cents: { ...com.price_cents, register } };
  await importTlds(runtime, { source: Readable.from([JSON.stringify(row)]) });
}

describe('the TLD catalogue', () => {
  it('is read once for concurrent callers and again after it expires', async () => {
    const catalogue = createTldCatalogue(runtime, KEEP_MS);
    const price = async () => (await catalogue.read()).get('com')?.priceCents.register;
    await sellAt(1_000);
    const many = () => Promise.all([price(), price(), price()]);
    expect(await countStatements(runtime, many)).toBe(1);
    await sellAt(2_000);
    expect(await price()).toBe(1_000);
    runtime.clock.advance(KEEP_MS);
    expect(await price()).toBe(2_000);
  });

  it('does not cache a failure', async () => {
    let away = true;
    const db: Database = {
      ...runtime.db,
      async read(query) {
        if (away) throw new Error('Postgres is away');
        return runtime.db.read(query);
      },
    };
    const catalogue = createTldCatalogue({ db, clock: runtime.clock }, KEEP_MS);
    await expect(catalogue.read()).rejects.toThrow('away');
    away = false;
    expect((await catalogue.read()).has('com')).toBe(true);
  });
});
