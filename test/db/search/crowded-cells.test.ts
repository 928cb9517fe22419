import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { cellOf, signatureOf } from '../../../shared/market/search/meaning/cells.ts';
import { meaningOfName } from '../../../shared/market/search/meaning/meaning.ts';
import { givenSearchableListing } from '../../support/inventory.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

const NAMES = ['brewery.com', 'brewery.net', 'my-brewery-4u-2day.info'];
const meaning = meaningOfName(['breweri'], [], []);

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
  for (const domain of NAMES) await givenSearchableListing(runtime, { domain });
  if (!meaning) throw new Error('a brewery means something');
  // All in one place, so that only their quality tells them apart.
  await runtime.db.knex.raw('update search_documents set cell = ?, signature = ?::bit varying', [
    cellOf(meaning),
    signatureOf(meaning),
  ]);
});
afterAll(() => runtime.stop());

async function nearest(limits: { ofCell: number; ofCells: number }): Promise<string[]> {
  const { rows } = await runtime.db.knex.raw<{ rows: { domain: string }[] }>(
    `select l.domain from search_nearest_sandbox(array[:cell::smallint], :signature::text, 10,
        :ofCell::integer, :ofCells::integer) d
      join listings l on l.id = d.listing_id order by d.quality desc`,
    { cell: meaning && cellOf(meaning), signature: meaning && signatureOf(meaning), ...limits },
  );
  return rows.map(({ domain }) => domain);
}

it('compares the best names of a crowded cell', async () => {
  expect(await nearest({ ofCell: 10, ofCells: 10 })).toHaveLength(NAMES.length);
  expect(await nearest({ ofCell: 1, ofCells: 10 })).toEqual(['brewery.com']);
  expect(await nearest({ ofCell: 10, ofCells: 1 })).toEqual(['brewery.com']);
});
