import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../test/support/eventually.ts';
import { givenSale } from '../../test/support/transfers.ts';
import { inParallel } from '../support/figures.ts';
import { type Market, withMarket } from './market.ts';
import type { FaultRun } from './trial.ts';
import { verifyMarket } from './verify.ts';

/** Memory left for jobs: enough for part of a bulk, but not all of it. */
const ROOM_BYTES = 8_000;
/** How long jobs have to fill that memory before it shrinks. */
const ROOM_MS = 500;
/** Redis answers only now and then while it loads. These make it load long enough to get requests meanwhile. */
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
        const full = trial.random.between(1_500, 2_500);
        await Promise.all([
          inParallel(bulk, 8, async () => void (await givenSale(runtime, { caller }))),
          market.sellAll(orders),
          fullFor(market, full),
        ]);
        tell('full');

        await Promise.all([market.sellAll(orders), replicaFor(market, 1_000)]);
        tell('replica');

        await redis.command('bgrewriteaof');
        await redis.kill();
        await Promise.all([market.sellAll(orders), redis.start(SLOW_LOADING)]);
        tell('loading');
      }
      await verifyMarket(market, performance.now());
    }),
};

/** Keeps Redis full for at least `ms`, and until it has refused a write, by halving the memory limit each round. */
async function fullFor(market: Market, ms: number): Promise<void> {
  const { redis } = market;
  const used = /used_memory:(\d+)/.exec(`${await redis.command('info', 'memory')}`)?.[1];
  let limit = Number(used) + ROOM_BYTES;
  for (const end = performance.now() + ms; ; limit = Math.ceil(limit / 2)) {
    await redis.command('config', 'set', 'maxmemory', `${limit}`);
    await sleep(Math.max(ROOM_MS, end - performance.now()));
    if ((await errorsOf(market, 'OOM')) > 0) break;
  }
  await redis.command('config', 'set', 'maxmemory', '0');
}

/**
 * Does what a failover does to connections of the old primary: they stay open, but can only read. Lasts at least `ms`,
 * and until Redis has refused a write.
 */
async function replicaFor(market: Market, ms: number): Promise<void> {
  const { redis } = market;
  await redis.command('replicaof', '127.0.0.1', '1');
  await sleep(ms);
  await eventually(
    () => errorsOf(market, 'READONLY'),
    (errors) => errors > 0,
    { withinMs: 60_000 },
  );
  await redis.command('replicaof', 'no', 'one');
}

/** Returns how often Redis has responded with this error since it started. */
async function errorsOf({ redis }: Market, kind: string): Promise<number> {
  const stats = `${await redis.command('info', 'errorstats')}`;
  return Number(new RegExp(`errorstat_${kind}:count=(\\d+)`).exec(stats)?.[1] ?? 0);
}
