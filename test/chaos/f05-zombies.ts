import { setTimeout as sleep } from 'node:timers/promises';
import { createEffects, effectsOf, enqueueEffects, outboxOf } from '../support/effects.ts';
import { eventually } from '../support/eventually.ts';
import { QUICK, withMarket } from './market.ts';
import type { FaultRun, Trial } from './trial.ts';
import { verifyMarket } from './verify.ts';

/** Longer than lock and lease together: whatever the sleeper held is another's when it wakes. */
const ASLEEP_MS = Number(QUICK.JOB_LOCK_MS) + Number(QUICK.OUTBOX_LEASE_MS) + 500;
const SLOW_MS = 700;

export const zombies: FaultRun = {
  id: 'F5',
  title: 'A worker stands still for longer than its locks, and then goes on',
  async run(trial) {
    await writeOnce(trial);
    await sellOnce(trial);
  },
};

/** Jobs that only the fence keeps from writing twice: no constraint would. */
function writeOnce(trial: Trial): Promise<void> {
  const child = 'test/support/worker-child.ts';
  return withMarket(trial, { apis: 0, workerScript: child }, async ({ runtime, workers }) => {
    await createEffects(runtime);
    const rounds = trial.amount({ short: 1, normal: 5, long: 50 });
    for (let round = 0; round < rounds; round += 1) {
      const numbers = Array.from({ length: 8 }, (_, at) => round * 8 + at + 1);
      await enqueueEffects(runtime, numbers, SLOW_MS);
      await eventually(
        () => outboxOf(runtime),
        (rows) => rows.filter(({ attempts }) => attempts > 0).length > round * 8 + 3,
        { withinMs: 30_000 },
      );
      const sleeper = trial.random.pick(workers);
      await sleep(trial.random.between(0, SLOW_MS));
      sleeper.pause();
      await sleep(ASLEEP_MS);
      sleeper.resume();
      await eventually(
        () => outboxOf(runtime),
        (rows) => rows.every(({ state }) => state === 'done'),
        { withinMs: 60_000 },
      );
    }
    const twice = (await outboxOf(runtime)).filter(({ attempts }) => attempts > 1).length;
    trial.note(`${twice} jobs were taken over`);
    trial.expect(twice > 0, 'nothing was taken over');
    // The sleeper may still be at its last steps; they must come to nothing.
    await Promise.all(workers.map((worker) => worker.stop()));
    const written = await effectsOf(runtime);
    const wanted = Array.from({ length: rounds * 8 }, (_, at) => at + 1);
    trial.expect(written.join() === wanted.join(), `written: ${written.join()}`);
  });
}

function sellOnce(trial: Trial): Promise<void> {
  return withMarket(trial, {}, async (market) => {
    const orders = trial.amount({ short: 15, normal: 100, long: 1_000 });
    const naps = trial.amount({ short: 1, normal: 5, long: 50 });
    const nap = async () => {
      for (const moment of trial.moments(naps, orders)) {
        await market.reach(moment);
        const sleeper = trial.random.pick(market.workers);
        sleeper.pause();
        await sleep(ASLEEP_MS);
        sleeper.resume();
      }
    };
    await Promise.all([market.sellAll(orders), nap()]);
    await verifyMarket(market, performance.now());
  });
}
