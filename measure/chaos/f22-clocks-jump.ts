import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR, MINUTE, SECOND } from '../../shared/platform/clock.ts';
import { createJumpingClock, type JumpingClock } from './jumping-clock.ts';
import { type Market, withMarket } from './market.ts';
import type { FaultRun, Trial } from './trial.ts';
import { verifyMarket } from './verify.ts';

/** As with a server that isn't synchronized, a resumed snapshot, and a wrong time zone. */
const JUMPS = [30 * SECOND, 3 * MINUTE, 10 * MINUTE, HOUR, 2 * HOUR];

export const clocksJump: FaultRun = {
  id: 'F22',
  title: 'Clocks of API and worker processes jump forward and back',
  slow: true,
  async run(trial) {
    // One process of each kind keeps the right time, as when one of several machines is wrong.
    const [ofApi, ofWorker] = [createJumpingClock(), createJumpingClock()];
    const envOf = (kind: 'api' | 'worker', at: number) => {
      if (at > 0) return {};
      return kind === 'api' ? ofApi.env : ofWorker.env;
    };
    try {
      await withMarket(trial, { apis: 2, workers: 2, envOf }, (market) =>
        disturb(trial, market, [ofApi, ofWorker]),
      );
    } finally {
      ofApi.remove();
      ofWorker.remove();
    }
  },
};

async function disturb(
  trial: Trial,
  market: Market,
  clocks: readonly JumpingClock[],
): Promise<void> {
  const orders = trial.amount({ short: 60, normal: 240, long: 2_000 });
  const jumps = trial.amount({ short: 8, normal: 24, long: 100 });
  let since = performance.now();
  const wreak = async () => {
    for (const at of trial.moments(jumps, orders)) {
      await market.reach(at);
      const ahead = trial.random.pick(JUMPS) * (trial.random.chance(0.5) ? 1 : -1);
      trial.random.pick(clocks).set(ahead);
      await sleep(trial.random.between(0, 1_500));
      if (trial.random.chance(0.5)) for (const clock of clocks) clock.set(0);
    }
    for (const clock of clocks) clock.set(0);
    since = performance.now();
  };
  await Promise.all([wreak(), market.sellAll(orders)]);
  // All processes use the time of Postgres, so not even a request timestamp is rejected.
  const odd = [...market.answers.keys()].filter((status) => ![0, 201, 503].includes(status));
  trial.expect(odd.length === 0, `answers other than 201 and 503: ${odd.join()}`);
  await verifyMarket(market, since);
}
