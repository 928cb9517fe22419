import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { recordedOrder } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestRuntime } from '../../support/runtime.ts';
import { freePort } from '../../support/service-process.ts';
import type { ReceivedWebhook, WebhookReceiver } from '../../support/webhook-receiver.ts';
import { startWebhookScene, type WebhookScene } from '../../support/webhook-scene.ts';
import { countStates, givenEndpoint, givenEvents, SECRET } from '../../support/webhooks.ts';

let scene: WebhookScene;
let runtime: TestRuntime;
let receiver: WebhookReceiver;

beforeEach(async () => {
  const env = { WEBHOOK_SCHEDULE_MS: '50,50,50,50,50,50,50,50,50,50' };
  // Two, so that no order comes from there being one.
  scene = await startWebhookScene(env, 2);
  ({ runtime, receiver } = scene);
});
afterEach(() => scene.stop());

const set = (endpointId: string, changes: object) =>
  runtime.db.knex('webhook_endpoints').where({ id: endpointId }).update(changes);
const everythingDelivered = () =>
  eventually(
    () => countStates(runtime),
    (counts) => Object.keys(counts).join() === 'delivered',
  );
const subjectOf = (request: ReceivedWebhook) =>
  (request.event.data as { order: { public_id: string } }).order.public_id;

/** The ids of the events of each subject, in the order of the first time that each was accepted. */
function orderOf(requests: readonly ReceivedWebhook[]): Map<string, string[]> {
  const order = new Map<string, string[]>();
  for (const request of requests) {
    const seen = order.get(subjectOf(request)) ?? [];
    if (!seen.includes(request.event.id))
      order.set(subjectOf(request), [...seen, request.event.id]);
  }
  return order;
}

describe('an endpoint with per-subject ordering', () => {
  it('gets the events of each subject in order despite failures', async () => {
    const endpoint = await givenEndpoint(runtime, receiver.url);
    await set(endpoint.endpointId, { ordering: 'per_subject' });
    const dead = await givenEndpoint(runtime, `http://127.0.0.1:${await freePort()}/hook`);
    await set(dead.endpointId, { ordering: 'per_subject' });
    const accepted: ReceivedWebhook[] = [];
    let requests = 0;
    receiver.answer((request) => {
      requests += 1;
      // A third fails, and some of what is accepted is not heard of: the same again.
      if (requests % 3 === 0) return { status: 409 };
      accepted.push(request);
      return { status: requests % 7 === 0 ? 409 : 200 };
    });
    const subjects = Array.from({ length: 12 }, (_, at) => `ord_subject${at}`);
    for (let round = 0; round < 8; round += 1) {
      await runtime.db.transact(async (uow) => {
        for (const owner of [endpoint, dead]) {
          uow.events.add(owner, ...subjects.map((subject) => recordedOrder(subject)));
        }
      });
    }
    const { partnerId } = endpoint;
    await eventually(
      () =>
        runtime.db
          .knex('webhook_deliveries')
          .where({ partner_id: partnerId })
          .whereNot({ state: 'delivered' }),
      (open) => open.length === 0,
    );
    const history = await runtime.db
      .knex('events')
      .where({ partner_id: partnerId })
      .orderBy('position');
    const order = orderOf(accepted);
    for (const subject of subjects) {
      const ids = history.filter((event) => event.subject === subject).map(({ id }) => id);
      expect(order.get(subject)).toEqual(ids);
    }
  });

  it('gets other subjects while one waits for a retry', async () => {
    const endpoint = await givenEndpoint(runtime, receiver.url);
    await set(endpoint.endpointId, { ordering: 'per_subject' });
    receiver.answer((request) => ({ status: subjectOf(request) === 'ord_stuck' ? 409 : 200 }));
    const others = Array.from({ length: 40 }, (_, at) => `ord_${at % 4}`);
    const events = ['ord_stuck', 'ord_stuck', ...others];
    await runtime.db.transact(async (uow) =>
      uow.events.add(endpoint, ...events.map((subject) => recordedOrder(subject))),
    );
    await eventually(
      () => countStates(runtime),
      (counts) => counts.exhausted === 2,
    );
    const stuck = receiver.received.filter((request) => subjectOf(request) === 'ord_stuck');
    const [first, second] = new Set(stuck.map(({ event }) => event.id));
    // The second was begun after the first was exhausted, of which an attempt may have been repeated.
    const begun = stuck.findIndex(({ event }) => event.id === second);
    expect(begun).toBeGreaterThanOrEqual(11);
    expect(stuck.slice(begun).every(({ event }) => event.id !== first)).toBe(true);
    const last = receiver.received.findLastIndex((each) => subjectOf(each) !== 'ord_stuck');
    const before = receiver.received.slice(0, last);
    expect(before.every(({ event }) => event.id !== second)).toBe(true);
  });
});

describe('an endpoint with a rate limit', () => {
  it('never gets more events per second than its limit', async () => {
    const endpoint = await givenEndpoint(runtime, receiver.url);
    await set(endpoint.endpointId, { max_per_second: 20 });
    await givenEvents(runtime, endpoint, 60);
    await everythingDelivered();
    const times = receiver.received.map(({ at }) => at).sort((a, b) => a - b);
    const most = Math.max(
      ...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length),
    );
    expect(most).toBeLessThanOrEqual(24);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(2_400);
  });
});

describe('webhook requests', () => {
  it('have a thin payload and custom headers on request, without replacing ours', async () => {
    const endpoint = await givenEndpoint(runtime, receiver.url);
    const own = { Authorization: 'Bearer of-the-partner', 'Content-Type': 'text/plain' };
    await set(endpoint.endpointId, {
      payload: 'thin',
      headers_ciphertext: runtime.secrets.seal(JSON.stringify(own), endpoint.endpointId),
    });
    await givenEvents(runtime, endpoint, 1);
    const [request] = await receiver.waitFor(1);
    expect(Object.keys(request?.event ?? {})).toEqual([
      'id',
      'type',
      'created_at',
      'partner_id',
      'subject',
    ]);
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer of-the-partner',
      'content-type': 'application/json',
    });
    await everythingDelivered();
    const [attempt] = await runtime.db.knex('webhook_attempts');
    expect(attempt.request_headers.authorization).toBe('(hidden)');
  });

  it('have a timestamped signature', async () => {
    const endpoint = await givenEndpoint(runtime, receiver.url);
    await givenEvents(runtime, endpoint, 1);
    const [request] = await receiver.waitFor(1);
    const header = `${request?.headers['x-service-signature-timestamped']}`;
    const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
    expect(Math.abs(Number(time) - Date.now() / 1_000)).toBeLessThan(60);
    const expected = createHmac('sha256', SECRET).update(`${time}.${request?.body}`).digest('hex');
    expect(signature).toBe(expected);
  });
});
