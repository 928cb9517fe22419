import { setTimeout as sleep } from 'node:timers/promises';
import { type Market, REFUSED, withMarket } from './market.ts';
import type { Member } from './member.ts';
import type { FaultRun, Trial } from './trial.ts';
import { verifyMarket } from './verify.ts';

const DEATHS = ['before', 'after', 'cut'] as const;
type Death = (typeof DEATHS)[number];

/** The most statements to let pass before the worker dies. */
const WITHIN_STATEMENTS = 120;
/** A worker with little to do dies at its next statement after this time. */
const IDLE_MS = 5_000;
const PATIENCE_MS = 180_000;

export const workerKilled: FaultRun = {
  id: 'F4',
  title: 'A worker is killed, or its connection cut, at any statement',
  run: (trial) =>
    withMarket(trial, { refused: REFUSED }, async (market) => {
      const orders = trial.amount({ short: 20, normal: 150, long: 2_000 });
      const deaths = trial.amount({ short: 5, normal: 20, long: 200 });
      const kill = async () => {
        for (const moment of trial.moments(deaths, orders)) {
          await market.reach(moment);
          await dieAtAStatement(trial, market);
        }
      };
      await Promise.all([market.sellAll(orders), kill()]);
      await verifyMarket(market, performance.now());
    }),
};

/** Kills a worker, or cuts its connection, at a statement that the seed picks; a killed worker restarts at once. */
export async function dieAtAStatement(trial: Trial, market: Market): Promise<void> {
  const death = trial.random.pick(DEATHS);
  const countdown = trial.whole(1, WITHIN_STATEMENTS);
  const victim = trial.random.pick(market.workers);
  const died = await deathAt(victim, death, countdown);
  trial.note(`${death} ${countdown}`);
  trial.expect(died, `no statement came in ${PATIENCE_MS} ms`);
}

/**
 * `before`: killed after sending a statement that never arrived. `after`: killed after Postgres ran the statement, but
 * before its answer arrived. `cut`: like `after`, but only the connection is lost. Returns false if no statement came.
 */
async function deathAt(victim: Member, death: Death, countdown: number): Promise<boolean> {
  const { postgres } = victim;
  let left = countdown;
  const struck = new Promise<boolean>((resolve) => {
    postgres.onRequest = (_chunk, link) => {
      left -= 1;
      if (left !== 0) return left < 0 && death === 'before' ? 'swallow' : 'pass';
      if (death === 'before') {
        resolve(true);
        return 'swallow';
      }
      postgres.onAnswer = (_answer, answering) => {
        if (answering !== link) return 'pass';
        if (death === 'cut') link.cut();
        resolve(true);
        return 'swallow';
      };
      return 'pass';
    };
  });
  let died = false;
  for (const end = performance.now() + PATIENCE_MS; !died && performance.now() < end; left = 1) {
    died = await Promise.race([struck, sleep(IDLE_MS, false)]);
  }
  if (died && death !== 'cut') await victim.kill();
  postgres.onRequest = undefined;
  postgres.onAnswer = undefined;
  if (died && death !== 'cut') victim.start();
  return died;
}
