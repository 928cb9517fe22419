import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../test/support/eventually.ts';
import { givenSale } from '../../test/support/transfers.ts';
import { type Market, withMarket } from './market.ts';
import { LISTENER, type Member } from './member.ts';
import type { FaultRun, Trial } from './trial.ts';
import { untilOrdersAreThrough, untilReceived, verifyMarket } from './verify.ts';

interface Outage {
  name: string;
  /** Resolves when the fault is over, or, for a silent fault, once it has begun. */
  happen(market: Market): Promise<void>;
}

const SECOND = 1_000;

/** Runs each kind of outage, in an order set by the seed; after each one, all orders sold meanwhile must complete. */
export const redisAway: FaultRun = {
  id: 'F2',
  title: 'Redis is killed, paused, drops its clients, or falls silent; LISTEN falls silent',
  run: (trial) =>
    withMarket(trial, {}, async (market) => {
      const orders = trial.amount({ short: 6, normal: 20, long: 60 });
      let since = performance.now();
      for (const outage of shuffled(trial, outagesOf(trial))) {
        const selling = market.sellAll(orders, 2);
        await Promise.all([
          selling,
          outage.happen(market).then(() => {
            since = performance.now();
          }),
        ]);
        await untilOrdersAreThrough(trial, market.runtime);
        await untilReceived(trial, market.runtime, market.receiver);
        const ms = performance.now() - since;
        trial.recovered(ms);
        trial.note(`${outage.name} ${(ms / SECOND).toFixed(1)} s`);
      }
      const odd = [...market.answers.keys()].filter((status) => ![201, 503].includes(status));
      trial.expect(odd.length === 0, `answers other than 201 and 503: ${odd.join()}`);
      await verifyMarket(market, performance.now());
    }),
};

function outagesOf(trial: Trial): Outage[] {
  const killedFor = trial.amount({ short: 1, normal: 3, long: 4 });
  return [
    ...[1, 6, 20, 60].slice(0, killedFor).map((seconds) => ({
      name: `killed for ${seconds} s`,
      async happen(market: Market) {
        await market.redis.kill();
        // Commits don't need Redis: the jobs of these sales wait in the outbox.
        await Promise.all([saleBesides(market), saleBesides(market), sleep(seconds * SECOND)]);
        await market.redis.start();
      },
    })),
    {
      name: 'clients dropped',
      async happen({ redis }) {
        for (let times = 0; times < 3; times += 1) {
          await redis.command('client', 'kill', 'type', 'normal');
          await redis.command('client', 'kill', 'type', 'pubsub');
          await sleep(trial.random.between(0, 300));
        }
      },
    },
    {
      name: 'paused for 1.5 s',
      async happen({ redis }) {
        await redis.command('client', 'pause', '1500', 'all');
        await sleep(1_500);
      },
    },
    {
      name: 'silent',
      async happen(market) {
        for (const { redis } of [...market.apis, ...market.workers]) redis.freeze();
      },
    },
    {
      name: 'LISTEN silent',
      async happen(market) {
        // A listener may be reconnecting, so this waits for it.
        const silence = ({ postgres }: Member) =>
          eventually(() => postgres.freeze((opening) => opening.includes(LISTENER)));
        await Promise.all(market.workers.map(silence));
      },
    },
  ];
}

/** Sells without the signed API, which doesn't work without Redis. */
async function saleBesides({ runtime, partner }: Market): Promise<void> {
  await givenSale(runtime, { caller: { ...partner, commissionBps: 1_500 } });
}

function shuffled<T>(trial: Trial, items: readonly T[]): T[] {
  return items
    .map((item) => [trial.random.next(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}
