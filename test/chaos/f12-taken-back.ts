import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeBack } from '../support/take-back.ts';
import { type Market, withMarket } from './market.ts';
import type { FaultRun, Trial } from './trial.ts';
import {
  checkMoney,
  countDeliveries,
  idsOf,
  untilOrdersAreThrough,
  untilReceived,
} from './verify.ts';

export const takenBack: FaultRun = {
  id: 'F12',
  title: 'Every order is taken back twice at once, at a random moment of its life',
  run: (trial) =>
    withMarket(trial, { apis: 2 }, async (market) => {
      const orders = trial.amount({ short: 20, normal: 150, long: 500 });
      const listings = await market.listings(orders);
      let succeeded = 0;
      const lane = async () => {
        for (let next = listings.shift(); next; next = listings.shift()) {
          const { body } = await market.sell(next);
          await sleep(trial.random.between(0, 500));
          const accepted = await takeBackTwice(trial, market, body.public_id);
          succeeded += accepted;
        }
      };
      await Promise.all(Array.from({ length: 6 }, lane));
      trial.expect(succeeded === orders, `${succeeded} refunds of ${orders} orders were accepted`);
      const since = performance.now();
      await untilOrdersAreThrough(trial, market.runtime);
      await untilReceived(trial, market.runtime, () => idsOf(market.receiver));
      trial.recovered(performance.now() - since);
      await expectNothingLeft(trial, market, orders);
    }),
};

/** How many of two requests at once were accepted. */
async function takeBackTwice(trial: Trial, market: Market, orderId: string): Promise<number> {
  const body = { order_id: orderId, reason: 'requested_by_customer' };
  const answers = await Promise.all(
    market.clients.map((client) => {
      const idempotencyKey = randomUUID();
      return market.ask((asking) => asking.post('/v1/refunds', { body, idempotencyKey }), client);
    }),
  );
  const statuses = answers.map(({ status }) => status).sort();
  if (statuses.join() === '409,409') return clawBackTwice(trial, market, orderId);
  trial.expect(statuses.join() === '201,409', `two refunds at once got ${statuses.join()}`);
  return statuses.filter((status) => status === 201).length;
}

/** Partners refund what is not delivered; a delivered order is ops' to take back. */
async function clawBackTwice(trial: Trial, { runtime }: Market, orderId: string): Promise<number> {
  const [status] = await runtime.db.knex('orders').where({ id: orderId }).pluck('status');
  trial.expect(status === 'TRANSFER_COMPLETED', `no refund was accepted of one that is ${status}`);
  const both = await Promise.allSettled([takeBack(runtime, orderId), takeBack(runtime, orderId)]);
  const accepted = both.filter((each) => each.status === 'fulfilled').length;
  trial.expect(accepted === 1, `${accepted} of two clawbacks at once were accepted`);
  return accepted;
}

/** Every sale has its one reversal, and all accounts are even again. */
async function expectNothingLeft(trial: Trial, market: Market, orders: number): Promise<void> {
  const { runtime, receiver } = market;
  const { rows } = await runtime.db.knex.raw(
    `select o.id from orders o
     where o.status <> 'REFUNDED'
       or (select count(*) from ledger_entries e where e.order_id = o.id) <> 2
       or (select count(*) from refunds r where r.order_id = o.id) <> 1`,
  );
  trial.expect(rows.length === 0, `not taken back once: ${JSON.stringify(rows.slice(0, 5))}`);
  const { rows: open } = await runtime.db.knex.raw(
    `select account, sum(amount_cents) as sum from ledger_postings group by 1 having sum(amount_cents) <> 0`,
  );
  trial.expect(open.length === 0, `accounts are not even: ${JSON.stringify(open)}`);
  const [entries] = await runtime.db.knex('ledger_entries').count({ count: '*' });
  trial.count({ orders, entries: Number(entries?.count) });
  await countDeliveries(trial, runtime, idsOf(receiver));
  await checkMoney(trial, runtime);
}
