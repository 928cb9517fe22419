import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../test/support/eventually.ts';
import { orderCount } from '../../test/support/running-service.ts';
import type { Listing, Market } from './market.ts';
import type { Trial } from './trial.ts';
import { verifyMarket } from './verify.ts';

/** A fault that keeps Postgres from writing while it still runs and reads. */
export interface WriteFault {
  begin(): Promise<void>;
  end(): Promise<void>;
}

const SELLERS = 3;

/**
 * Sells through a fault again and again, each time until a seller has got a 503. Sellers may only get 201 or 503, and
 * orders that were accepted must still exist.
 */
export async function sellThrough(trial: Trial, market: Market, fault: WriteFault): Promise<void> {
  const rounds = trial.amount({ short: 1, normal: 4, long: 30 });
  const sales = trial.amount({ short: 60, normal: 120, long: 240 });
  let since = performance.now();
  for (let round = 0; round < rounds; round += 1) {
    const listings = await market.listings(sales);
    const before = sellEach(market, listings.splice(sales / 2));
    let through = before;
    try {
      await fault.begin();
      const refused = refusals(market);
      // Nothing can be written now, so some of these must get a 503.
      through = Promise.all([before, sellEach(market, listings)]).then(() => {});
      await Promise.race([through, untilMoreThan(refused, market)]);
      trial.expect(refusals(market) > refused, 'nobody was told to come again');
      await sleep(trial.random.between(500, 2_000));
    } finally {
      await fault.end();
    }
    since = performance.now();
    await through;
  }
  const odd = [...market.answers.keys()].filter((status) => status !== 201 && status !== 503);
  trial.expect(odd.length === 0, `answers other than 201 and 503: ${odd.join()}`);
  const orders = await orderCount(market.runtime);
  const sold = market.answers.get(201) ?? 0;
  trial.expect(orders === sold, `${sold} orders were accepted, and ${orders} are there`);
  await verifyMarket(market, since);
}

/** Sells existing listings, some at a time. */
export async function sellEach(market: Market, listings: Listing[]): Promise<void> {
  const seller = async () => {
    for (let next = listings.shift(); next; next = listings.shift()) await market.sell(next);
  };
  await Promise.all(Array.from({ length: SELLERS }, seller));
}

/** Gives up silently after a minute; the caller checks the result. */
async function untilMoreThan(refused: number, market: Market): Promise<void> {
  const more = () => refusals(market) > refused;
  await eventually(more, Boolean, { withinMs: 60_000 }).catch(() => {});
}

/** Returns how many 503 answers sellers have got. */
function refusals(market: Market): number {
  return market.answers.get(503) ?? 0;
}
