import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { sendPing } from '../../../shared/messaging/events/pings.ts';
import {
  createEndpoint,
  updateEndpoint,
} from '../../../shared/messaging/webhooks/manage-endpoint.ts';
import {
  cancelReplay,
  readReplay,
  startReplay,
} from '../../../shared/messaging/webhooks/replay.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { eventually } from '../../support/eventually.ts';
import { givenPartner } from '../../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { givenEvents } from '../../support/webhooks.ts';

let runtime: TestRuntime;
let receiver: WebhookReceiver;
let fleet: WorkerProcess | undefined;
beforeAll(async () => {
  runtime = await createTestRuntime({ outboxPollMs: 50 });
  receiver = await startWebhookReceiver();
});
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});
afterAll(async () => {
  await receiver.close();
  await runtime.stop();
});

const since = (ms: number) => new Date(runtime.clock.now().getTime() + ms);
const lastMinute = () => ({ from: since(-60_000), to: since(600_000), eventTypes: null });

describe('a webhook replay', () => {
  it('sends the events of its time range in order to its endpoint and reports progress', async () => {
    const { partnerId } = await givenPartner(runtime);
    const owner = { partnerId, environment: 'SANDBOX' as const };
    await givenEvents(runtime, owner, 7);
    const input = { url: receiver.url, ordering: 'per_subject' as const };
    const { endpoint } = await createEndpoint(runtime, owner, input);
    await sendPing(runtime, owner, endpoint.id);
    const { id, state } = await startReplay(runtime, owner, endpoint.id, lastMinute());
    expect(state).toBe('queued');
    fleet = startWorkers(runtime, { queues: ['maintenance', 'webhooks'] });
    const read = () => readReplay(runtime, owner, id);
    await eventually(read, (replay) => replay.state === 'completed');
    expect(await read()).toMatchObject({
      total: 7,
      scheduled: 7,
      delivered: 7,
      failed: 0,
      progress: 1,
    });
    const none = { from: since(-120_000), to: since(-60_000), eventTypes: null };
    const empty = await startReplay(runtime, owner, endpoint.id, none);
    await eventually(
      () => readReplay(runtime, owner, empty.id),
      (replay) => replay.state === 'completed' && replay.total === 0,
    );
    const other = { ...lastMinute(), eventTypes: ['brokerage.*'] };
    const narrow = await startReplay(runtime, owner, endpoint.id, other);
    await eventually(
      () => readReplay(runtime, owner, narrow.id),
      (replay) => replay.state === 'completed' && replay.total === 0,
    );
  });

  it('stops when its partner cancels it or its endpoint is disabled', async () => {
    const { partnerId } = await givenPartner(runtime);
    const owner = { partnerId, environment: 'SANDBOX' as const };
    await givenEvents(runtime, owner, 3);
    const { endpoint } = await createEndpoint(runtime, owner, { url: receiver.url });
    const first = await startReplay(runtime, owner, endpoint.id, lastMinute());
    expect(await cancelReplay(runtime, owner, first.id)).toMatchObject({ state: 'cancelled' });
    await expect(cancelReplay(runtime, owner, first.id)).rejects.toMatchObject({
      code: 'conflict',
    });
    const second = await startReplay(runtime, owner, endpoint.id, lastMinute());
    await updateEndpoint(runtime, owner, endpoint.id, { active: false });
    fleet = startWorkers(runtime, { queues: ['maintenance', 'webhooks'] });
    await eventually(
      () => readReplay(runtime, owner, second.id),
      (replay) => replay.state === 'cancelled',
    );
    expect(await readReplay(runtime, owner, first.id)).toMatchObject({ scheduled: 0 });
    await expect(startReplay(runtime, owner, endpoint.id, lastMinute())).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});
