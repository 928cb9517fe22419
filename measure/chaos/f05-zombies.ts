import { setTimeout as sleep } from 'node:timers/promises';
import {
  createEffects,
  effectsOf,
  enqueueEffects,
  enqueueHeldEffects,
  heldEffects,
  outboxOf,
  releaseEffects,
} from '../../test/support/effects.ts';
import { eventually } from '../../test/support/eventually.ts';
import { QUICK } from '../../test/support/quick-fleet.ts';
import { type Market, REFUSED, withMarket } from './market.ts';
import type { Member } from './member.ts';
import type { FaultRun, Trial } from './trial.ts';
import { verifyMarket } from './verify.ts';

/** Longer than lock and lease together: when the sleeper wakes, others have taken over everything it held. */
const ASLEEP_MS = QUICK.jobLockMs + QUICK.outboxLeaseMs + 500;
const SLOW_MS = 700;

export const zombies: FaultRun = {
  id: 'F5',
  title: 'A worker stands still for longer than its locks, and then goes on',
  async run(trial) {
    await writeOnce(trial);
    await sellOnce(trial);
  },
};

/** Runs jobs that only the fence keeps from writing twice; no constraint would. */
function writeOnce(trial: Trial): Promise<void> {
  const child = 'test/support/worker-child.ts';
  return withMarket(trial, { apis: 0, workerScript: child }, async (market) => {
    const { runtime, workers } = market;
    await createEffects(runtime);
    const rounds = trial.amount({ short: 1, normal: 5, long: 50 });
    let takenOver = 0;
    for (let round = 0; round < rounds; round += 1) {
      const numbers = Array.from({ length: 8 }, (_, at) => round * 8 + at + 1);
      await enqueueHeldEffects(runtime, numbers.slice(0, 4));
      await enqueueEffects(runtime, numbers.slice(4), SLOW_MS);
      takenOver += await sleepThroughTakeOver(trial, market);
      await eventually(
        () => outboxOf(runtime),
        (rows) => rows.every(({ state }) => state === 'done'),
        { withinMs: 60_000 },
      );
    }
    trial.note(`${takenOver} jobs were taken over`);
    // The sleeper may still be running its last steps; they must have no effect.
    await Promise.all(workers.map((worker) => worker.stop()));
    const written = await effectsOf(runtime);
    const wanted = Array.from({ length: rounds * 8 }, (_, at) => at + 1);
    trial.expect(written.join() === wanted.join(), `written: ${written.join()}`);
  });
}

/**
 * Pauses a worker that is known to hold jobs, and resumes it once others have done them, so that it continues with
 * jobs it no longer owns. Returns how many there were.
 */
async function sleepThroughTakeOver(trial: Trial, { runtime, workers }: Market): Promise<number> {
  await eventually(
    () => heldEffects(runtime),
    (jobs) => jobs.length > 0,
    { withinMs: 60_000 },
  );
  await sleep(trial.random.between(0, SLOW_MS));
  const held = await heldEffects(runtime);
  const sleeper = trial.random.pick(workers.filter((each) => held.some(isOf(each))));
  const ids = held.filter(isOf(sleeper)).map(({ id }) => id);
  sleeper.pause();
  await releaseEffects(runtime);
  await sleep(ASLEEP_MS);
  await eventually(
    async () => (await outboxOf(runtime)).filter(({ id }) => ids.includes(id)),
    (rows) => rows.every(({ state, attempts }) => state === 'done' && attempts > 1),
    { withinMs: 60_000 },
  );
  sleeper.resume();
  return ids.length;
}

function isOf(worker: Member): (job: { pid: number }) => boolean {
  return ({ pid }) => pid === worker.pid;
}

function sellOnce(trial: Trial): Promise<void> {
  return withMarket(trial, { refused: REFUSED }, async (market) => {
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
