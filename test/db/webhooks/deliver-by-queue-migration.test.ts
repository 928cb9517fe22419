import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '../../../db/migrate.ts';
import * as deliverByQueue from '../../../db/migrations/20261127033500_deliver_by_queue.ts';
import { scheduleForgotten } from '../../../shared/delivery/webhooks/schedule-deliveries.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { deliveriesOf, dueTo, givenEndpoint, givenEvents, jobOf } from '../../support/webhooks.ts';

const NAME = '20261127033500_deliver_by_queue';

describe('deliveries that workers of the release before held', () => {
  let runtime: TestRuntime;
  let endpoint: Awaited<ReturnType<typeof givenEndpoint>>;
  beforeAll(async () => {
    runtime = await createTestRuntime();
    endpoint = await givenEndpoint(runtime, 'http://127.0.0.1:9999/hook');
    await givenEvents(runtime, endpoint, 4);
    const { knex } = runtime.db;
    // That release knew no jobs of endpoints.
    await knex('job_keys').delete();
    await knex('outbox').delete();
    await deliverByQueue.down(knex);
    await knex('knex_migrations').where({ name: NAME }).delete();
  });
  afterAll(() => runtime.stop());

  it('are due again, beside what waited, and all get the job of their endpoint', async () => {
    const { knex } = runtime.db;
    const [held, waiting, ended, given] = await deliveriesOf(runtime, endpoint.endpointId);
    const set = (id: string | undefined, changes: object) =>
      knex('webhook_deliveries').where({ id }).update(changes);
    await set(held?.id, { state: 'dispatched', epoch: 1, worker_id: 'one' });
    await set(given?.id, { state: 'dispatched', epoch: 2, attempts: 3, worker_id: 'two' });
    await set(ended?.id, { state: 'delivered', attempts: 1 });
    expect(await migrate(runtime.config.databaseUrl)).toEqual({ applied: [NAME] });

    expect(await scheduleForgotten(runtime)).toBe(1);
    expect(await jobOf(runtime, endpoint.endpointId)).toMatchObject({ state: 'pending' });
    const due = await (await dueTo(runtime, endpoint.endpointId)).take();
    const found = Object.fromEntries(due.map(({ id, attempts }) => [id, attempts]));
    expect(found).toEqual({
      [held?.id ?? '']: 0,
      [waiting?.id ?? '']: 0,
      [given?.id ?? '']: 3,
    });
  });
});
