import { setTimeout as sleep } from 'node:timers/promises';
import { REFUSED, withMarket } from './market.ts';
import type { FaultRun } from './trial.ts';
import { verifyMarket } from './verify.ts';

/** Wipes Redis at random moments: between a claim and its job, mid-delivery, with delayed jobs and schedules set. */
export const redisWiped: FaultRun = {
  id: 'F1',
  title: 'Redis is wiped again and again while orders come in',
  run: (trial) =>
    withMarket(trial, { refused: REFUSED }, async (market) => {
      const orders = trial.amount({ short: 30, normal: 300, long: 10_000 });
      const wipes = trial.amount({ short: 5, normal: 20, long: 200 });
      const wipe = async () => {
        for (const moment of trial.moments(wipes, orders)) {
          await market.reach(moment);
          await sleep(trial.random.between(0, 50));
          await market.redis.flushAll();
        }
      };
      await Promise.all([wipe(), market.sellAll(orders)]);
      await market.redis.flushAll();
      await verifyMarket(market, performance.now());
    }),
};
