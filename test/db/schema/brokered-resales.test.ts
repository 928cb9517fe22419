import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { up as countDeals } from '../../../db/migrations/20261129153400_count_deals_as_next_sales.ts';
import { up as reopenListings } from '../../../db/migrations/20261129164500_reopen_listings_of_deals.ts';
import { moveCase } from '../../../shared/sales/brokerage/case-lifecycle.ts';
import { givenAgreedCase, moveToDomain } from '../../support/brokerage.ts';
import { givenListing, givenPartner } from '../../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { recordSale } from '../../support/sales.ts';
import { takeBack } from '../../support/take-back.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime?.stop());

it('a brokered resale from before resales were numbered never returns to the market when it is undone', async () => {
  const { knex } = runtime.db;
  const environment = 'LIVE';
  const partner = await givenPartner(runtime, { environment });
  const { id, domain } = await givenListing(runtime, { environment, offersAccepted: true });
  const purchase = await recordSale(runtime, partner, { domain });
  await knex('orders').where({ id: purchase.id }).update({ transfer_completed_at: new Date() });
  const sold = await knex('listings').where({ id }).first();
  runtime.clock.advance(1_000);
  const { id: caseId } = await givenAgreedCase(runtime, partner, 'USD');
  await moveToDomain(runtime, caseId, domain);
  const { orderId } = await runtime.db.transact((uow) =>
    moveCase(uow, runtime, { caseId, to: 'COMPLETED', by: 'ops', dealPriceCents: 400_000 }),
  );
  // As the previous version recorded it: without a listing, which stayed as the first sale left it.
  await knex('orders').where({ id: orderId }).update({ listing_id: null, sale_number: 1 });
  const { sale_number, reopened_at, delisted_at, offers_accepted } = sold;
  await knex('listings')
    .where({ id })
    .update({ sale_number, reopened_at, delisted_at, offers_accepted });
  await countDeals(knex);
  await reopenListings(knex);
  const listing = () => knex('listings').where({ id }).first();
  expect(await listing()).toMatchObject({ status: 'sold', sale_number: 2, offers_accepted: false });
  await reopenListings(knex);
  await takeBack(runtime, orderId ?? '');
  expect(await listing()).toMatchObject({ status: 'sold', sale_number: 1 });
});
