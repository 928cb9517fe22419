import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewEvent, Stream } from '../../../shared/messaging/event-types/event.ts';
import { recordedOrder } from '../../support/events.ts';
import { givenPartner } from '../../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
let production: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
  production = await createTestRuntime({
    NODE_ENV: 'production',
    BASE_URL: 'https://market.example',
    WEBHOOK_ALLOW_PRIVATE: 'false',
    RATE_LIMITS: 'on',
  });
});
afterAll(() => Promise.all([runtime?.stop(), production?.stop()]));

/** As a careless change of a feature would make it. */
function leaky(): NewEvent {
  const event = recordedOrder('ord_1');
  return { ...event, data: { ...event.data, buyer: { email: 'buyer@example.com' } } };
}

async function record({ db }: TestRuntime, stream: Stream): Promise<void> {
  await db.transact(async (uow) => uow.events.add(stream, leaky()));
}

const stored = ({ db }: TestRuntime, { partnerId }: Stream): Promise<string[]> =>
  db.knex('events').where('partner_id', partnerId).pluck('body');

const counted = async ({ metrics }: TestRuntime) =>
  (await metrics.eventFaults.get()).values.map(({ value }) => value);

describe('an event that violates its schema', () => {
  it('fails its transaction in tests and development, naming the type and field', async () => {
    const stream: Stream = await givenPartner(runtime);
    await expect(record(runtime, stream)).rejects.toThrow(
      'order.recorded is not as its schema says: /data must NOT have additional properties: buyer',
    );
    expect(await stored(runtime, stream)).toEqual([]);
  });

  it('is recorded in production and counted for an alert', async () => {
    const stream: Stream = await givenPartner(production);
    expect(await counted(production)).toEqual([0]);
    await record(production, stream);
    const [body = '{}'] = await stored(production, stream);
    expect(JSON.parse(body).data).toEqual(leaky().data);
    expect(await counted(production)).toEqual([1]);
  });
});
