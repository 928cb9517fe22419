import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { sendPing } from '../../../shared/messaging/events/pings.ts';
import { listEvents } from '../../../shared/messaging/events/read-events.ts';
import { registerEndpoint } from '../../../shared/messaging/webhooks/manage-endpoint.ts';
import { listDeliveries } from '../../../shared/messaging/webhooks/read-deliveries.ts';
import { resendDelivery } from '../../../shared/messaging/webhooks/requested-deliveries.ts';
import { signBody } from '../../../shared/messaging/webhooks/webhook-signature.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestRuntime } from '../../support/runtime.ts';
import {
  type ReceivedWebhook,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/webhook-receiver.ts';
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
  // Nobody is too late but who never answers.
  scene = await startWebhookScene({
    WEBHOOK_SCHEDULE_MS: '100,100,100',
    WEBHOOK_TIMEOUT_MS: '50000',
  });
  ({ runtime, receiver } = scene);
});
afterEach(() => scene.stop());

const everythingEnded = () =>
  eventually(
    () => countStates(runtime),
    (counts) => !counts.pending,
  );

const verifies = (request: ReceivedWebhook, secret: string): boolean => {
  const key = secret.startsWith('whsec_') ? secret : Buffer.from(secret).toString('base64');
  try {
    new Webhook(key).verify(request.body, request.headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};

const logOf = async (owner: Parameters<typeof listDeliveries>[1], of = runtime) =>
  (await listDeliveries(of, owner, { eventId: null, status: null, before: null, limit: 100 })).rows;

describe('a webhook delivery', () => {
  it('carries the event, signed with the registered secret', async () => {
    const endpoint = await givenEndpoint(runtime, receiver.url);
    await givenEvents(runtime, endpoint, 1);
    const [request] = await receiver.waitFor(1);
    const { rows: events } = await listEvents(runtime, endpoint, { afterId: null, limit: 1 });
    expect(request?.event).toEqual(events[0]);
    expect(Object.keys(request?.event ?? {})).toEqual([
      'id',
      'type',
      'created_at',
      'partner_id',
      'data',
    ]);
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-signature': signBody(SECRET, request?.body ?? ''),
      'x-service-event-id': events[0]?.id,
      'x-service-event-type': 'order.recorded',
      'x-service-delivery-attempt': '1',
      'webhook-id': events[0]?.id,
    });
    await everythingEnded();
    expect(await logOf(endpoint)).toMatchObject([
      { status: 'delivered', attempts: [{ attempt: 1, statusCode: 200, outcome: 'delivered' }] },
    ]);
  });

  it.each([
    ['whsec_ and base64', SECRET],
    ['any other string', 'plain text with an ümlaut'],
  ])('verifies with the Standard Webhooks library when the secret is %s', async (_kind, secret) => {
    const endpoint = await givenEndpoint(runtime, receiver.url, { secret });
    await givenEvents(runtime, endpoint, 1);
    const [request] = await receiver.waitFor(1);
    expect(verifies(request as ReceivedWebhook, secret)).toBe(true);
    expect(verifies(request as ReceivedWebhook, 'another secret altogether')).toBe(false);
  });

  it('is retried with the same bytes until it is accepted', async () => {
    receiver.answer(() => ({ status: receiver.received.length < 3 ? 500 : 204 }));
    const endpoint = await givenEndpoint(runtime, receiver.url);
    await givenEvents(runtime, endpoint, 1);
    const requests = await receiver.waitFor(3);
    await everythingEnded();
    expect(new Set(requests.map((request) => `${request.body}`)).size).toBe(1);
    expect(requests.map((request) => request.headers['x-service-delivery-attempt'])).toEqual([
      '1',
      '2',
      '3',
    ]);
    expect(requests.every((request) => verifies(request, SECRET))).toBe(true);
    expect((await logOf(endpoint))[0]?.attempts.map((attempt) => attempt.outcome)).toEqual([
      'http_status',
      'http_status',
      'delivered',
    ]);
  });

  it('is exhausted after the last retry and can be sent again', async () => {
    receiver.answer({ status: 503, body: 'closed for today' });
    const endpoint = await givenEndpoint(runtime, receiver.url);
    await givenEvents(runtime, endpoint, 1);
    await receiver.waitFor(4);
    await everythingEnded();
    const [exhausted] = await logOf(endpoint);
    expect(exhausted).toMatchObject({ status: 'exhausted', nextAttemptAt: null });
    expect(exhausted?.attempts.at(-1)?.responseBody).toBe('closed for today');

    receiver.answer({ status: 200 });
    const resent = await resendDelivery(runtime, endpoint, exhausted?.id ?? '');
    await receiver.waitFor(5);
    await everythingEnded();
    expect(await logOf(endpoint)).toMatchObject([
      { id: resent, status: 'delivered', resendOf: exhausted?.id },
      { status: 'exhausted' },
    ]);
    expect(receiver.received.at(-1)?.headers['x-service-delivery-attempt']).toBe('1');
    expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(exhausted?.eventId);
  });

  it('fails when the endpoint does not answer in time', async () => {
    const hasty = await startWebhookScene({ WEBHOOK_TIMEOUT_MS: '500' });
    try {
      hasty.receiver.hang();
      const endpoint = await givenEndpoint(hasty.runtime, hasty.receiver.url);
      await givenEvents(hasty.runtime, endpoint, 1);
      const [attempt] = await eventually(
        async () => (await logOf(endpoint, hasty.runtime))[0]?.attempts ?? [],
        (attempts) => attempts.length > 0,
      );
      expect(attempt).toMatchObject({ outcome: 'timeout', statusCode: null });
      expect(attempt?.elapsedMs).toBeGreaterThanOrEqual(490);
    } finally {
      await hasty.stop();
    }
  });

  it('does not follow a redirect', async () => {
    const elsewhere = await startWebhookReceiver();
    try {
      receiver.answer({ status: 302, headers: { location: elsewhere.url } });
      const endpoint = await givenEndpoint(runtime, receiver.url);
      await givenEvents(runtime, endpoint, 1);
      await everythingEnded();
      expect((await logOf(endpoint))[0]?.attempts[0]).toMatchObject({
        outcome: 'redirect',
        statusCode: 302,
      });
      expect(elsewhere.received).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });

  it('disables the endpoint on HTTP 410', async () => {
    receiver.answer({ status: 410 });
    const endpoint = await givenEndpoint(runtime, receiver.url);
    await givenEvents(runtime, endpoint, 20);
    await everythingEnded();
    expect(await countStates(runtime)).toEqual({ cancelled: 20 });
    expect(receiver.received.length).toBeLessThanOrEqual(4);
    const [row] = await runtime.db.knex('webhook_endpoints');
    expect(row).toMatchObject({ active: false, disabled_reason: 'gone' });

    receiver.answer({ status: 200 });
    await givenEvents(runtime, endpoint, 1);
    await registerEndpoint(runtime, endpoint, { url: receiver.url, secret: SECRET });
    await givenEvents(runtime, endpoint, 1);
    await everythingEnded();
    expect(await countStates(runtime)).toEqual({ cancelled: 20, delivered: 1 });
  });

  it('sends a ping that is not part of the event history', async () => {
    const endpoint = await givenEndpoint(runtime, receiver.url);
    await sendPing(runtime, endpoint);
    const [request] = await receiver.waitFor(1);
    expect(request?.event).toMatchObject({ type: 'webhook.ping', partner_id: endpoint.partnerId });
    expect((await listEvents(runtime, endpoint, { afterId: null, limit: 10 })).rows).toEqual([]);
  });

  it('is one of at most four in parallel per endpoint while a backlog drains', async () => {
    const endpoint = await givenEndpoint(runtime, receiver.url);
    await givenEvents(runtime, endpoint, 300);
    await receiver.waitFor(300);
    await everythingEnded();
    expect(receiver.mostUnderWay).toBeLessThanOrEqual(4);
    expect(new Set(receiver.received.map((request) => request.event.id)).size).toBe(300);
    expect(await countStates(runtime)).toEqual({ delivered: 300 });
    const rows = await deliveriesOf(runtime, endpoint.endpointId);
    expect(rows.every((row) => row.attempts === 1)).toBe(true);
  });
});

describe('rotating a webhook secret under load', () => {
  it('signs every delivery with a key that is active at the time', async () => {
    const secrets = [SECRET, 'second-secret-in-plain-text', 'third-secret-in-plain-text'];
    const endpoint = await givenEndpoint(runtime, receiver.url, { secret: SECRET });
    for (const secret of secrets) {
      await registerEndpoint(runtime, endpoint, { url: receiver.url, secret });
      const before = receiver.received.length;
      await givenEvents(runtime, endpoint, 40);
      await receiver.waitFor(before + 10);
    }
    await receiver.waitFor(120);
    const [first = '', second = '', third = ''] = secrets;
    // A receiver that knows the key before or after a rotation accepts everything during it.
    for (const request of receiver.received) {
      const newest = secrets.find(
        (secret) => signBody(secret, request.body) === request.headers['x-service-signature'],
      );
      expect(newest).toBeDefined();
      const alsoBefore = newest === third ? second : first;
      expect(verifies(request, newest ?? '')).toBe(true);
      if (newest !== first) expect(verifies(request, alsoBefore)).toBe(true);
    }
    expect(verifies(receiver.received.at(-1) as ReceivedWebhook, third)).toBe(true);
    expect(verifies(receiver.received.at(-1) as ReceivedWebhook, first)).toBe(false);
  });

  it('stops signing with the old key after the overlap', async () => {
    const endpoint = await givenEndpoint(runtime, receiver.url, { secret: SECRET });
    const secret = 'second-secret-in-plain-text';
    await registerEndpoint(runtime, endpoint, { url: receiver.url, secret });
    await runtime.db.knex('webhook_endpoints').update({ previous_secret_until: new Date() });
    await givenEvents(runtime, endpoint, 1);
    const [request] = await receiver.waitFor(1);
    expect(verifies(request as ReceivedWebhook, secret)).toBe(true);
    expect(verifies(request as ReceivedWebhook, SECRET)).toBe(false);
  });
});
