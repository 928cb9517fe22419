import { setTimeout as sleep } from 'node:timers/promises';
import { type OwnPgbouncer, startOwnPgbouncer } from '../../test/support/own-pgbouncer.ts';
import { type OwnPostgres, startOwnPostgres } from '../../test/support/own-postgres.ts';
import { type Market, REFUSED, withMarket } from './market.ts';
import type { FaultRun, Trial } from './trial.ts';
import { verifyMarket } from './verify.ts';

/** Fewer than the service's connections to the pooler. */
const SESSIONS = 8;

export const poolerRestarted: FaultRun = {
  id: 'F20',
  title: 'PgBouncer in transaction mode is killed and restarted under sales and deliveries',
  slow: true,
  async run(trial) {
    const postgres = await startOwnPostgres();
    const pooler = await startOwnPgbouncer(postgres.url, SESSIONS).catch(async (error: Error) => {
      await postgres.remove();
      throw error;
    });
    try {
      await withMarket(trial, optionsWith(postgres, pooler), (market) =>
        disturb(trial, market, pooler),
      );
    } finally {
      await pooler.remove();
      await postgres.remove();
    }
  },
};

function optionsWith({ url }: OwnPostgres, pooler: OwnPgbouncer) {
  const direct = (databaseUrl: string) => ({
    DATABASE_URL: pooler.through(databaseUrl),
    DATABASE_POOLER: 'transaction',
  });
  return { postgres: url, refused: REFUSED, direct };
}

async function disturb(trial: Trial, market: Market, pooler: OwnPgbouncer): Promise<void> {
  const orders = trial.amount({ short: 40, normal: 200, long: 2_000 });
  const restarts = trial.amount({ short: 4, normal: 12, long: 60 });
  let since = performance.now();
  const wreak = async () => {
    for (const at of trial.moments(restarts, orders)) {
      await market.reach(at);
      await pooler.end(trial.random.pick(['SIGKILL', 'SIGINT', 'SIGTERM'] as const));
      await sleep(trial.random.between(0, 500));
      await pooler.start();
      since = performance.now();
    }
  };
  await Promise.all([wreak(), market.sellAll(orders)]);
  const odd = [...market.answers.keys()].filter((status) => status !== 201 && status < 500);
  trial.expect(
    odd.every((status) => status === 0),
    `answers other than 201 and 5xx: ${odd.join()}`,
  );
  await verifyMarket(market, since);
}
