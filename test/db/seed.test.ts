import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { seed } from '../../db/seed.ts';
import { makeInventory } from '../../db/seeds/inventory.ts';
import { DEMO_OWNER, DEMO_PARTNERS } from '../../shared/operations/demo/demo-accounts.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';

let runtime: TestRuntime;

beforeEach(async () => {
  runtime = await createTestRuntime();
});
afterEach(() => runtime.stop());

/** Names that are seeded last, one in each environment. */
const NAMED = ['tidycart.io', 'harborlantern.com'];

it('seeds the demo marketplace once and does not restore what was deleted since', async () => {
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

it('resumes where an interrupted run stopped', async () => {
  const { knex } = runtime.db;
  await knex.raw(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'the disk is gone'; end $$;
    create trigger refuse_live before insert on listings
      for each row when (new.environment = 'LIVE') execute function refuse()`);
  await expect(seed(runtime.config)).rejects.toThrow('the disk is gone');
  await knex.raw('drop trigger refuse_live on listings');

  expect(await seed(runtime.config)).toEqual({ changed: false });
  const listed = await knex('listings')
    .select('environment')
    .count('* as n')
    .groupBy('environment');
  const inventory = makeInventory();
  expect(new Map(listed.map(({ environment, n }) => [environment, Number(n)]))).toEqual(
    new Map([
      ['LIVE', inventory.LIVE.length],
      ['SANDBOX', inventory.SANDBOX.length],
    ]),
  );
  const partners = await knex('partners').where({ demo: true }).pluck('name');
  expect(partners.sort()).toEqual(DEMO_PARTNERS.map(({ name }) => name).sort());
}, 300_000);
