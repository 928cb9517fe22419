import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { givenEndpoint, givenEvents } from '../../support/webhooks.ts';

let runtime: TestRuntime;
let fleet: WorkerProcess;
let receivers: WebhookReceiver[];

beforeEach(async () => {
  runtime = await createTestRuntime();
  fleet = startWorkers(runtime, { queues: ['webhooks'] });
  receivers = await Promise.all(Array.from({ length: 22 }, () => startWebhookReceiver()));
});
afterEach(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await fleet.stop();
  await runtime.stop();
});

describe('healthy endpoints', () => {
  it('get all their events while other endpoints with large backlogs hang or fail', async () => {
    const [hanging, down, ...healthy] = receivers as [
      WebhookReceiver,
      WebhookReceiver,
      ...WebhookReceiver[],
    ];
    hanging.hang();
    down.answer({ status: 500 });
    const endpoints = await Promise.all(
      [hanging, down, ...healthy].map((receiver) => givenEndpoint(runtime, receiver.url)),
    );
    const [hung, broken, ...well] = endpoints as [
      (typeof endpoints)[0],
      (typeof endpoints)[0],
      ...typeof endpoints,
    ];
    // The two bad ones have a great backlog before anybody else gets an event.
    await Promise.all([givenEvents(runtime, hung, 300), givenEvents(runtime, broken, 300)]);

    const rounds = 30;
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(well.map((endpoint) => givenEvents(runtime, endpoint, 1)));
      // The next one comes when one of them has got this one, so that rounds overlap.
      await healthy[round % healthy.length]?.waitFor(round + 1);
    }
    const received = await Promise.all(healthy.map((receiver) => receiver.waitFor(rounds)));
    expect(received.map((requests) => requests.length)).toEqual(healthy.map(() => rounds));
    const open = await runtime.db.knex('webhook_deliveries').where({ state: 'pending' });
    for (const { endpointId } of [hung, broken]) {
      expect(open.some((delivery) => delivery.endpoint_id === endpointId)).toBe(true);
    }
    expect(hanging.mostUnderWay).toBeLessThanOrEqual(4);
  });
});
