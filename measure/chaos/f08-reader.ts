import { historyOf } from '../../test/support/running-service.ts';
import { type Market, withMarket } from './market.ts';
import type { FaultRun } from './trial.ts';
import { verifyMarket } from './verify.ts';

/** The longest delay of each message to and from Postgres, so that commits overlap and overtake each other. */
const SLOWEST_MS = 12;

export const reader: FaultRun = {
  id: 'F8',
  title: 'A reader pages through the history while slow transactions overlap',
  run: (trial) =>
    withMarket(trial, { apis: 2 }, async (market) => {
      const orders = trial.amount({ short: 25, normal: 200, long: 3_000 });
      for (const { postgres } of [...market.apis, ...market.workers]) {
        postgres.delayMs = () => Math.floor(trial.random.between(0, SLOWEST_MS));
      }
      const selling = { over: false };
      const reading = readOn(market, () => selling.over);
      await market.sellAll(orders, 8);
      const since = performance.now();
      await verifyMarket(market, since);
      selling.over = true;
      const read = await reading;
      const history = await historyOf(market.runtime, market.partner.partnerId);
      trial.expect(read.join() === history.join(), firstDifference(read, history));
      trial.note(`${read.length} events were read in order`);
    }),
};

/** Reads on with `after_id`, in pages of varying size, until a page is empty and no more events can come. */
async function readOn(market: Market, over: () => boolean): Promise<string[]> {
  const read: string[] = [];
  for (let last = false; ; ) {
    const limit = market.trial.whole(1, 7);
    const afterId = read.at(-1);
    const query = { limit, ...(afterId && { after_id: afterId }) };
    const answer = await market.attempt((client) => client.get('/v1/events', { query }));
    if (answer?.status !== 200) continue;
    const ids: string[] = answer.body.events.map(({ id }: { id: string }) => id);
    read.push(...ids);
    if (last && ids.length === 0) return read;
    last = over();
  }
}

function firstDifference(read: readonly string[], history: readonly string[]): string {
  const at = history.findIndex((id, index) => read[index] !== id);
  return `read ${read.length} of ${history.length} events; the first difference is at ${at}`;
}
