import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '../bench/support/figures.ts';
import { givenSale } from '../support/transfers.ts';
import { type Market, withMarket } from './market.ts';
import type { FaultRun } from './trial.ts';
import { verifyMarket } from './verify.ts';

/** Room that is left for jobs: enough for some of a bulk, and not for all of it. */
const ROOM_BYTES = 8_000;
/** Redis looks up only now and then while it loads; these make it load long enough to be asked meanwhile. */
const SLOW_LOADING = ['--key-load-delay', '200', '--loading-process-events-interval-bytes', '1024'];

export const redisRefuses: FaultRun = {
  id: 'F3',
  title: 'Redis is full in mid-bulk, becomes a read-only replica, and loads its data',
  run: (trial) =>
    withMarket(trial, {}, async (market) => {
      const { runtime, partner, redis } = market;
      const orders = trial.amount({ short: 5, normal: 20, long: 200 });
      const bulk = trial.amount({ short: 120, normal: 500, long: 2_000 });
      const caller = { ...partner, commissionBps: 1_500 };
      const rounds = trial.amount({ short: 1, normal: 3, long: 10 });
      let since = performance.now();
      const tell = (phase: string) => {
        trial.note(`${phase} ${((performance.now() - since) / 1_000).toFixed(1)} s`);
        since = performance.now();
      };
      for (let round = 0; round < rounds; round += 1) {
        const used = /used_memory:(\d+)/.exec(`${await redis.command('info', 'memory')}`)?.[1];
        await redis.command('config', 'set', 'maxmemory', `${Number(used) + ROOM_BYTES}`);
        await Promise.all([
          inParallel(bulk, 8, async () => void (await givenSale(runtime, { caller }))),
          market.sellAll(orders),
          sleep(trial.random.between(1_500, 2_500)).then(() =>
            redis.command('config', 'set', 'maxmemory', '0'),
          ),
        ]);
        const oom = await errorsOf(market, 'OOM');
        trial.expect(oom > 0, 'Redis was never full');
        tell('full');

        await Promise.all([market.sellAll(orders), replicaFor(market, 1_000)]);
        trial.expect((await errorsOf(market, 'READONLY')) > 0, 'nobody met the replica');
        tell('replica');

        await redis.command('bgrewriteaof');
        await redis.kill();
        await Promise.all([market.sellAll(orders), redis.start(SLOW_LOADING)]);
        tell('loading');
      }
      await verifyMarket(market, performance.now());
    }),
};

/** How often Redis refused with this error since it started. */
async function errorsOf({ redis }: Market, kind: string): Promise<number> {
  const stats = `${await redis.command('info', 'errorstats')}`;
  return Number(new RegExp(`errorstat_${kind}:count=(\\d+)`).exec(stats)?.[1] ?? 0);
}

/** What a failover does to the connections of the old primary: they stay, and may only read. */
async function replicaFor({ redis }: Market, ms: number): Promise<void> {
  await redis.command('replicaof', '127.0.0.1', '1');
  await sleep(ms);
  await redis.command('replicaof', 'no', 'one');
}
