import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { seed } from '../../db/seed.ts';
import { DEMO_OWNER } from '../../shared/operations/demo/demo-accounts.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';

let runtime: TestRuntime;

beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

/** The last of what is seeded of each environment. */
const NAMED = ['tidycart.io', 'harborlantern.com'];

it('seeds the demo marketplace once, and brings nothing back that was deleted since', async () => {
  const { knex } = runtime.db;
  expect(await seed(runtime.config)).toEqual({ changed: true });

  await knex('search_documents')
    .whereIn('listing_id', knex('listings').whereIn('domain', NAMED).select('id'))
    .delete();
  await knex('listings').whereIn('domain', NAMED).delete();
  await knex('owned_domains').delete();
  const owner = await knex('users').where({ email: DEMO_OWNER }).first();
  await knex('users').where({ id: owner.id }).update({ email: 'renamed@marketplace.example' });
  await knex('partners').where({ name: 'Larkspur' }).update({ name: 'Renamed' });

  expect(await seed(runtime.config)).toEqual({ changed: false });
  expect(await knex('listings').whereIn('domain', NAMED)).toEqual([]);
  expect(await knex('owned_domains')).toEqual([]);
  expect(await knex('users').where({ email: DEMO_OWNER })).toEqual([]);
  expect(await knex('partners').where({ name: 'Larkspur' })).toEqual([]);
}, 300_000);
