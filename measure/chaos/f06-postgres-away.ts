import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../test/support/eventually.ts';
import { type OwnPostgres, startOwnPostgres } from '../../test/support/own-postgres.ts';
import { type Market, withMarket } from './market.ts';
import type { FaultRun, Trial } from './trial.ts';
import { verifyMarket } from './verify.ts';

/** Fewer connections than callers at once. */
const SMALL_POOL = '3';
const BURST = 40;

export const postgresAway: FaultRun = {
  id: 'F6',
  title: 'Postgres is killed, ends all sessions, falls silent, has fewer connections than callers',
  async run(trial) {
    const postgres = await startOwnPostgres();
    try {
      const env = { DATABASE_POOL_SIZE: SMALL_POOL };
      await withMarket(trial, { env, postgres: postgres.url }, (market) =>
        disturb(trial, market, postgres),
      );
    } finally {
      await postgres.remove();
    }
  },
};

async function disturb(trial: Trial, market: Market, postgres: OwnPostgres): Promise<void> {
  const orders = trial.amount({ short: 20, normal: 150, long: 1_500 });
  const crashes = trial.amount({ short: 1, normal: 4, long: 30 });
  const endings = trial.amount({ short: 2, normal: 6, long: 60 });
  const acts = [
    ...trial.moments(crashes, orders).map((at) => ({ at, act: () => crash(trial, postgres) })),
    ...trial.moments(endings, orders).map((at) => ({ at, act: () => endSessions(market) })),
  ].sort((a, b) => a.at - b.at);
  const wreak = async () => {
    for (const { at, act } of acts) {
      await reachPatiently(market, at);
      await act();
    }
  };
  await Promise.all([wreak(), market.sellAll(orders)]);
  await untilWeAreConnected(market);
  if (trial.size !== 'short') await fallSilent(trial, market);
  const since = performance.now();
  await market.sellAll(BURST, BURST);
  const odd = [...market.answers.keys()].filter((status) => status !== 201 && status < 500);
  trial.expect(
    odd.every((status) => status === 0),
    `answers other than 201 and 5xx: ${odd.join()}`,
  );
  await verifyMarket(market, since);
}

/** Leaves every connection open but dead; no process is notified or restarted. */
async function fallSilent(trial: Trial, market: Market): Promise<void> {
  for (const { postgres } of [...market.apis, ...market.workers]) postgres.freeze();
  const began = performance.now();
  await market.sellAll(1);
  trial.note(`silent for ${((performance.now() - began) / 1_000).toFixed(1)} s`);
}

async function crash(trial: Trial, postgres: OwnPostgres): Promise<void> {
  await postgres.kill();
  await sleep(trial.random.between(0, 1_000));
  await postgres.start();
}

/** Ends every session except this one. */
async function endSessions({ runtime }: Market): Promise<void> {
  await runtime.db.knex
    .raw(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    )
    .catch(() => {});
}

/** Waits until every connection of the run's own pool works again. */
async function untilWeAreConnected({ runtime }: Market): Promise<void> {
  const ask = () => runtime.db.knex.raw('select pg_sleep(0.05)');
  const all = () => Promise.all(Array.from({ length: Number(SMALL_POOL) }, ask));
  await eventually(
    () =>
      all().then(
        () => true,
        () => false,
      ),
    Boolean,
    { withinMs: 60_000 },
  );
}

/** Like `reach`, but retries: the run's own queries fail with the server, too. */
async function reachPatiently(market: Market, orders: number): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await market.reach(orders);
    } catch (error) {
      if (tries === 50) throw error;
      await sleep(100);
    }
  }
}
