import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listEvents } from '../../../shared/messaging/events/read-events.ts';
import { registerEndpoint } from '../../../shared/messaging/webhooks/manage-endpoint.ts';
import { addMs } from '../../../shared/platform/clock.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestRuntime } from '../../support/runtime.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { startWebhookScene, type WebhookScene } from '../../support/webhook-scene.ts';
import {
  countStates,
  deliveriesOf,
  givenEndpoint,
  givenEvents,
  SECRET,
} from '../../support/webhooks.ts';

let scene: WebhookScene;
let runtime: TestRuntime;
let receiver: WebhookReceiver;

beforeEach(async () => {
  scene = await startWebhookScene({
    WEBHOOK_CONCURRENCY: '20',
    WEBHOOK_TIMEOUT_MS: '50000',
    webhookRetrySharePercent: 30,
  });
  ({ runtime, receiver } = scene);
});
afterEach(() => scene.stop());

const endpointRow = (id: string) => runtime.db.knex('webhook_endpoints').where({ id }).first();

describe('a failing endpoint', () => {
  it('is disabled after failing for days, its deliveries are canceled and its partner is notified', async () => {
    receiver.answer({ status: 500 });
    const endpoint = await givenEndpoint(runtime, receiver.url);
    const failingSince = addMs(runtime.clock.now(), -runtime.config.webhookDisableAfterMs);
    await runtime.db.knex('webhook_endpoints').update({ failing_since: failingSince });
    await givenEvents(runtime, endpoint, 3);
    await eventually(
      () => countStates(runtime),
      (counts) => counts.cancelled === 3,
    );
    expect(receiver.received).toHaveLength(1);
    expect(await endpointRow(endpoint.endpointId)).toMatchObject({
      active: false,
      disabled_reason: 'failing',
    });
    const { rows } = await listEvents(runtime, endpoint, { afterId: null, limit: 10 });
    expect(rows.at(-1)).toMatchObject({
      type: 'webhook.endpoint_disabled',
      data: { endpoint: { id: endpoint.endpointId, disabled_reason: 'failing' } },
    });
  });

  it('is not affected by a late answer from its previous URL', async () => {
    const held: ServerResponse[] = [];
    const old = createServer((_request, response) => held.push(response));
    old.listen(0, '127.0.0.1');
    await once(old, 'listening');
    try {
      const url = `http://127.0.0.1:${(old.address() as AddressInfo).port}/hook`;
      const endpoint = await givenEndpoint(runtime, url);
      await givenEvents(runtime, endpoint, 1);
      await eventually(
        () => held.length,
        (count) => count === 1,
      );
      await registerEndpoint(runtime, endpoint, { url: receiver.url, secret: SECRET });
      // What comes now goes to the new address, so the job knows of it.
      await givenEvents(runtime, endpoint, 1);
      await receiver.waitFor(1);
      held[0]?.writeHead(410).end();
      const rows = await eventually(
        () => deliveriesOf(runtime, endpoint.endpointId),
        ([first]) => first?.attempts === 1,
      );
      expect(rows[0]).toMatchObject({ state: 'pending' });
      expect(await endpointRow(endpoint.endpointId)).toMatchObject({
        active: true,
        failing_since: null,
      });
    } finally {
      old.closeAllConnections();
      old.close();
    }
  });
});

describe('healthy endpoints', () => {
  it.each([
    ['others fail', 'webhook_endpoints', { failing_since: new Date() }],
    ['retries of others are due', 'webhook_deliveries', { attempts: 3 }],
  ])('keep their capacity however many %s', async (_what, table, changes) => {
    const hanging = await startWebhookReceiver();
    try {
      hanging.hang();
      await scene.fleet.pop()?.stop();
      for (let made = 0; made < 15; made += 1) {
        await givenEvents(runtime, await givenEndpoint(runtime, hanging.url), 5);
      }
      await runtime.db.knex(table).update(changes);
      const sound = await givenEndpoint(runtime, receiver.url);
      scene.fleet.push(scene.startWorker());
      await hanging.waitFor(6);
      await givenEvents(runtime, sound, 200);
      await receiver.waitFor(200);
      // 30 % of 20 places.
      expect(hanging.mostUnderWay).toBe(6);
    } finally {
      await hanging.close();
    }
  });
});
