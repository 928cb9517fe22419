import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readOptions } from '../../measure/chaos/options.ts';
import { createTrial } from '../../measure/chaos/trial.ts';
import { type Arrival, checkMoney, countDeliveries } from '../../measure/chaos/verify.ts';
import { givenPartner } from '../support/factories.ts';
import { notOnce, orderEffects } from '../support/order-effects.ts';
import { givenOrder } from '../support/orders.ts';
import { historyOf } from '../support/running-service.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { givenEvents, givenSubject } from '../support/webhooks.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

const accepted = (eventId: string): Arrival => ({ eventId, accepted: true });
const refused = (eventId: string): Arrival => ({ eventId, accepted: false });

describe('the verdict of a fault run', () => {
  it('reports lost, repeated and unknown events', async () => {
    const partner = await givenPartner(runtime);
    await givenEvents(runtime, partner, 3);
    const [first = '', second = ''] = await historyOf(runtime, partner.partnerId);
    const trial = createTrial(1, 'short');
    const arrivals = [first, second, second, 'evt_of_nobody'].map(accepted);
    await countDeliveries(trial, runtime, arrivals, partner.partnerId);
    expect(trial.tally).toEqual({ events: 3, received: 2, duplicates: 1, ordered: 0, lost: 1 });
    expect(trial.failures).toEqual([
      '1 events were lost',
      '1 requests told of events that never were',
    ]);
  });

  it('reports events delivered out of order within a subject', async () => {
    const partner = await givenPartner(runtime);
    const [one, other] = [givenSubject(), givenSubject()];
    await givenEvents(runtime, partner, 4, (at) => (at === 3 ? other : one));
    const [a = '', b = '', c = '', d = ''] = await historyOf(runtime, partner.partnerId);
    const failuresOf = async (...arrivals: Arrival[]) => {
      const trial = createTrial(1, 'short');
      await countDeliveries(trial, runtime, arrivals, partner.partnerId);
      expect(trial.tally).toMatchObject({ events: 4, ordered: 2 });
      return trial.failures;
    };
    const inOrder = [accepted(d), refused(a), accepted(a), accepted(b), accepted(a), accepted(c)];
    expect(await failuresOf(...inOrder)).toEqual([]);
    const tooEarly = [accepted(b), accepted(a), accepted(b), accepted(c), accepted(d)];
    expect(await failuresOf(...tooEarly)).toEqual([`out of order: ${one}`]);
    const despiteRefusal = [refused(a), accepted(b), accepted(a), accepted(c), accepted(d)];
    expect(await failuresOf(...despiteRefusal)).toEqual([`out of order: ${one}`]);
  });

  it('reports orders without their effects and ledger differences', async () => {
    const partner = await givenPartner(runtime);
    const id = await givenOrder(runtime, partner);
    expect(notOnce(await orderEffects(runtime))).toMatchObject([{ id, entries: 1, pushes: 0 }]);
    const trial = createTrial(1, 'short');
    await checkMoney(trial, runtime);
    expect(trial.failures).toEqual([]);
    await runtime.db.knex('orders').where({ id }).update({ sale_price_cents: 1 });
    await checkMoney(trial, runtime);
    expect(trial.failures).toEqual([expect.stringContaining('the ledger is off')]);
  });
});

describe('the seed of a fault run', () => {
  it('reproduces the same times and choices', () => {
    const course = (seed: number) => {
      const trial = createTrial(seed, 'normal');
      return [trial.moments(5, 100), trial.whole(0, 9), trial.random.pick(['a', 'b', 'c'])];
    };
    expect(course(17)).toEqual(course(17));
    expect(course(17)).not.toEqual(course(18));
  });
});

describe('the fault run command line', () => {
  it('takes names, seeds and a size', () => {
    expect(readOptions(['f4', '--seed', '17', '--seeds', '3', '--at-once', '2', '--long'])).toEqual(
      {
        names: ['F4'],
        seed: 17,
        seeds: 3,
        atOnce: 2,
        size: 'long',
      },
    );
    expect(readOptions([])).toMatchObject({ names: [], seed: 1, seeds: 1, atOnce: 1 });
  });

  it.each([
    [['F99'], 'there is no fault run F99'],
    [['--seeds', '0'], '--seed, --seeds and --at-once take whole numbers'],
    [['--at-once', '1.5'], '--seed, --seeds and --at-once take whole numbers'],
    [['--short', '--long'], '--short or --long, not both'],
    [['--help'], ''],
  ])('rejects or explains %j', (argv, answer) => {
    expect(readOptions(argv)).toBe(answer);
  });
});
