import { addMs, DAY } from '../../shared/platform/clock.ts';
import { readSettlementRun } from '../../shared/settlement/statements/read-settlement-runs.ts';
import {
  closeDuePeriods,
  requestSettlementRun,
} from '../../shared/settlement/statements/run-settlements.ts';
import { givenPartner } from '../../test/support/factories.ts';
import { givenOrder } from '../../test/support/orders.ts';
import { dieAtAStatement } from './f04-worker-killed.ts';
import { type Market, withMarket } from './market.ts';
import type { FaultRun, Trial } from './trial.ts';
import { checkMoney, untilNoneIsLeft } from './verify.ts';

const PARTNERS = 3;
const BATCH = 5;
const PRICE_CENTS = 1_000;

export const settlementDisturbed: FaultRun = {
  id: 'F11',
  title: 'Settlements overlap, their workers die at any statement, the clock jumps',
  run: (trial) =>
    withMarket(trial, { apis: 0, idle: true, env: { settlementBatchSize: BATCH } }, (market) =>
      settle(trial, market),
    ),
};

async function settle(trial: Trial, market: Market): Promise<void> {
  const { runtime } = market;
  const each = trial.amount({ short: 30, normal: 200, long: 3_000 });
  const deaths = trial.amount({ short: 4, normal: 15, long: 100 });
  const partners = await Promise.all(Array.from({ length: PARTNERS }, () => givenPartner(runtime)));
  const now = runtime.clock.now();
  for (const partner of partners) {
    for (let at = 0; at < each; at += 1) {
      // Some were delivered in the current period, some in periods that ended long ago.
      const daysAgo = trial.random.pick([1, 40, 70]);
      const deliveredAt = addMs(now, -daysAgo * DAY + at);
      await givenOrder(runtime, partner, { deliveredAt, priceCents: PRICE_CENTS });
    }
  }
  const run = (request: object) =>
    requestSettlementRun(runtime, 'chaos', { environment: 'SANDBOX', ...request });
  // A process whose clock is ahead, then behind, also finds periods to close. A run that it starts too early waits
  // until it is due, and doesn't block any other run.
  runtime.clock.advance(40 * DAY);
  const ahead = await closeDuePeriods(runtime);
  runtime.clock.advance(-80 * DAY);
  const behind = await closeDuePeriods(runtime);
  runtime.clock.advance(40 * DAY);
  const scheduled = await closeDuePeriods(runtime);
  const found = [ahead, behind, scheduled].map(({ length }) => length);
  trial.expect(found.join() === '1,1,1', `runs ahead, behind, in time: ${found.join()}`);
  const asked = await Promise.all([
    run({ until: now }),
    run({ until: now }),
    ...partners.map(({ partnerId }) => run({ until: now, partnerId })),
  ]);
  // Workers also close periods on their own, so they start only now: at the first death all the work is still ahead.
  for (const worker of market.workers) worker.start();
  for (let death = 0; death < deaths; death += 1) await dieAtAStatement(trial, market);
  const since = performance.now();
  const ids = [...asked.map((one) => one.id), ...behind, ...scheduled];
  await untilNoneIsLeft(trial, 'runs are not completed', async () => {
    const runs = await Promise.all(ids.map((id) => readSettlementRun(runtime, id)));
    return runs.filter(({ status }) => status !== 'completed');
  });
  trial.recovered(performance.now() - since);
  await expectOnce(trial, market, PARTNERS * each);
}

/** Expects each order in exactly one statement, event and entry, and statements that are the sums of their lines. */
async function expectOnce(trial: Trial, { runtime }: Market, orders: number): Promise<void> {
  const { knex } = runtime.db;
  const {
    rows: [seen],
  } = await knex.raw(
    `select
       (select count(*) from orders where status = 'SETTLED') as settled,
       (select count(*) from settlement_lines) as lines,
       (select count(*) from events where type = 'order.settled') as events,
       (select count(distinct subject) from events where type = 'order.settled') as subjects,
       (select count(*) from ledger_entries where kind = 'sale') as entries,
       (select coalesce(sum(sale_price_cents), 0) from settlement_lines) as gross,
       (select coalesce(sum(gross_sold_cents), 0) from settlements where status = 'closed') as stated,
       (select coalesce(sum(orders_count), 0) from settlements where status = 'closed') as stated_orders`,
  );
  trial.count({ orders, entries: seen.entries });
  for (const name of ['settled', 'lines', 'events', 'subjects', 'entries', 'stated_orders']) {
    trial.expect(seen[name] === orders, `${name}: ${seen[name]} for ${orders} orders`);
  }
  for (const name of ['gross', 'stated']) {
    trial.expect(seen[name] === orders * PRICE_CENTS, `${name}: ${seen[name]} cents`);
  }
  await checkMoney(trial, runtime);
}
