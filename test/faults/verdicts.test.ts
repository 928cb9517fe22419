import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readOptions } from '../chaos/options.ts';
import { createTrial } from '../chaos/trial.ts';
import { checkMoney, countDeliveries } from '../chaos/verify.ts';
import { givenPartner } from '../support/factories.ts';
import { notOnce, orderEffects } from '../support/order-effects.ts';
import { givenOrder } from '../support/orders.ts';
import { historyOf } from '../support/running-service.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { givenEvents } from '../support/webhooks.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

describe('the verdict of a fault run', () => {
  it('tells of events that were lost, came again, or never were', async () => {
    const partner = await givenPartner(runtime);
    await givenEvents(runtime, partner, 3);
    const [first = '', second = ''] = await historyOf(runtime, partner.partnerId);
    const trial = createTrial(1, 'short');
    const arrived = [first, second, second, 'evt_of_nobody'];
    await countDeliveries(trial, runtime, arrived, partner.partnerId);
    expect(trial.tally).toEqual({ events: 3, received: 2, duplicates: 1, lost: 1 });
    expect(trial.failures).toEqual([
      '1 events were lost',
      '1 requests told of events that never were',
    ]);
  });

  it('tells of an order without its effects, and of money that is missing', async () => {
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

describe('a seed', () => {
  it('gives the same moments and choices again', () => {
    const course = (seed: number) => {
      const trial = createTrial(seed, 'normal');
      return [trial.moments(5, 100), trial.whole(0, 9), trial.random.pick(['a', 'b', 'c'])];
    };
    expect(course(17)).toEqual(course(17));
    expect(course(17)).not.toEqual(course(18));
  });
});

describe('the command line', () => {
  it('takes names, seeds and a size', () => {
    expect(readOptions(['f4', '--seed', '17', '--seeds', '3', '--long'])).toEqual({
      names: ['F4'],
      seed: 17,
      seeds: 3,
      size: 'long',
    });
    expect(readOptions([])).toMatchObject({ names: [], seed: 1, seeds: 1, size: 'normal' });
  });

  it.each([
    [['F99'], 'there is no fault run F99'],
    [['--seeds', '0'], '--seed and --seeds take whole numbers'],
    [['--short', '--long'], '--short or --long, not both'],
    [['--help'], ''],
  ])('refuses or explains %j', (argv, answer) => {
    expect(readOptions(argv)).toBe(answer);
  });
});
