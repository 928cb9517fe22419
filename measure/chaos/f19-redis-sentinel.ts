import { setTimeout as sleep } from 'node:timers/promises';
import {
  type OwnRedisSentinels,
  startOwnRedisSentinels,
} from '../../test/support/own-redis-sentinels.ts';
import { type Market, withMarket } from './market.ts';
import type { FaultRun, Trial } from './trial.ts';
import { verifyMarket } from './verify.ts';

/** Concurrent sellers; each sees Redis go away and come back. */
const SELLERS = 4;

export const redisSentinel: FaultRun = {
  id: 'F19',
  title: 'The primary of Redis under Sentinel is killed, hangs, and changes places with a replica',
  slow: true,
  async run(trial) {
    const redis = await startOwnRedisSentinels();
    try {
      const options = { env: redis.env, direct: () => redis.env };
      await withMarket(trial, options, (market) => disturb(trial, market, redis));
    } finally {
      await redis.remove();
    }
  },
};

async function disturb(trial: Trial, market: Market, redis: OwnRedisSentinels): Promise<void> {
  const rounds = trial.amount({ short: 1, normal: 3, long: 20 });
  const orders = trial.amount({ short: 20, normal: 60, long: 200 });
  let since = performance.now();
  for (let round = 0; round < rounds; round += 1) {
    for (const fault of [kill, hang, switchOver]) {
      const selling = market.sellAll(orders, SELLERS);
      await sleep(trial.random.between(0, 500));
      const began = performance.now();
      await fault(redis);
      since = performance.now();
      trial.note(`${fault.name} ${((since - began) / 1_000).toFixed(1)} s`);
      // These must find the new primary.
      await Promise.all([selling, market.sellAll(orders, SELLERS)]);
      trial.recovered(performance.now() - since);
    }
  }
  trial.note(`${await redis.changes()} changes of the primary`);
  const odd = [...market.answers.keys()].filter((status) => status !== 201 && status !== 503);
  trial.expect(odd.length === 0, `answers other than 201 and 503: ${odd.join()}`);
  await verifyMarket(market, performance.now());
}

async function kill(redis: OwnRedisSentinels): Promise<void> {
  const before = await redis.primary();
  await redis.failOver();
  await redis.restart(before);
}

/** Hangs the primary: its connections stay open but silent, until it wakes up as a replica. */
async function hang(redis: OwnRedisSentinels): Promise<void> {
  const before = await redis.primary();
  await redis.failOver(() => before.pause());
  before.resume();
  await redis.untilInStep();
}

async function switchOver(redis: OwnRedisSentinels): Promise<void> {
  await redis.switchOver();
  await redis.untilInStep();
}
