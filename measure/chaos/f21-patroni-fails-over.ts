import { setTimeout as sleep } from 'node:timers/promises';
import { orderCount } from '../../test/support/running-service.ts';
import { type Market, REFUSED, withMarket } from './market.ts';
import { type OwnPatroni, type PatroniNode, startOwnPatroni } from './own-patroni.ts';
import { sellEach } from './sell-through.ts';
import type { FaultRun, Trial } from './trial.ts';
import { verifyMarket } from './verify.ts';

/** The longest time from the fault until the next order is accepted. */
const RECOVERY_MS = 30_000;

export const patroniFailsOver: FaultRun = {
  id: 'F21',
  title:
    'The primary of Postgres under Patroni is killed, cut off, and changes places with a replica',
  slow: true,
  async run(trial) {
    const patroni = await startOwnPatroni();
    try {
      const options = { postgres: patroni.url, refused: REFUSED };
      await withMarket(trial, options, (market) => disturb(trial, market, patroni));
    } finally {
      await patroni.remove();
    }
  },
};

interface Fault {
  name: string;
  begin(patroni: OwnPatroni, before: PatroniNode): Promise<void>;
  end(before: PatroniNode): void;
}

const FAULTS: readonly Fault[] = [
  {
    name: 'killed',
    begin: (_, before) => before.kill(),
    end: (before) => before.start(),
  },
  {
    // It still believes that it leads, but nobody confirms its commits.
    name: 'cut off',
    begin: async (_, before) => before.pause(),
    end: (before) => before.resume(),
  },
  { name: 'switched over', begin: (patroni) => patroni.switchOver(), end() {} },
];

async function disturb(trial: Trial, market: Market, patroni: OwnPatroni): Promise<void> {
  const rounds = trial.amount({ short: 1, normal: 3, long: 15 });
  const orders = trial.amount({ short: 15, normal: 40, long: 150 });
  for (let round = 0; round < rounds; round += 1) {
    for (const fault of FAULTS) {
      // The run's own statements would fail with the primary, so all the listings are created beforehand.
      const [next, ...listings] = await market.listings(orders);
      if (!next) throw new Error('there is something to sell');
      const selling = sellEach(market, listings);
      await sleep(trial.random.between(0, 1_000));
      const before = await patroni.leader();
      const began = performance.now();
      await fault.begin(patroni, before);
      await Promise.all([patroni.untilReplaced(before), market.sell(next)]);
      const ms = performance.now() - began;
      trial.recovered(ms);
      trial.note(`${fault.name}: orders again after ${(ms / 1_000).toFixed(1)} s`);
      trial.expect(ms < RECOVERY_MS, `${fault.name}: no order for ${Math.round(ms)} ms`);
      fault.end(before);
      await selling;
      await patroni.untilWhole();
    }
  }
  const odd = [...market.answers.keys()].filter((status) => status !== 201 && status < 500);
  trial.expect(
    odd.every((status) => status === 0),
    `answers other than 201 and 5xx: ${odd.join()}`,
  );
  const sold = market.answers.get(201) ?? 0;
  const there = await orderCount(market.runtime);
  trial.expect(there === sold, `${sold} orders were accepted, and ${there} are there`);
  await verifyMarket(market, performance.now());
}
