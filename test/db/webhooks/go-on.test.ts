import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createAttemptStarter } from '../../../shared/delivery/webhooks/begin-attempt.ts';
import {
  claimDeliveries,
  reclaimDeliveries,
} from '../../../shared/delivery/webhooks/dispatch-deliveries.ts';
import { removeEndpoint } from '../../../shared/delivery/webhooks/manage-endpoint.ts';
import { createAttemptRecorder } from '../../../shared/delivery/webhooks/record-attempt.ts';
import type { OutboundResult } from '../../../shared/platform/outbound/http-client.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { countStates, deliveriesOf, givenEndpoint, givenEvents } from '../../support/webhooks.ts';

const URL = 'http://127.0.0.1:9999/hook';

let runtime: TestRuntime;
let begin: ReturnType<typeof createAttemptStarter>;
let record: ReturnType<typeof createAttemptRecorder>;
let endpoint: Awaited<ReturnType<typeof givenEndpoint>>;

beforeEach(async () => {
  runtime = await createTestRuntime();
  begin = createAttemptStarter(runtime);
  record = createAttemptRecorder(runtime);
  endpoint = await givenEndpoint(runtime, URL);
});
afterEach(() => runtime.stop());

const answered = (status: number): OutboundResult => ({
  kind: 'response',
  status,
  headers: {},
  body: Buffer.alloc(0),
  truncated: false,
  elapsedMs: 7,
});
const takeBack = (wiped: boolean) =>
  reclaimDeliveries(runtime, { wiped, isQueued: async (claims) => claims.map(() => false) });

describe('going on with the next delivery', () => {
  const ok = answered(200);
  const dispatched = () =>
    runtime.db
      .knex('webhook_deliveries')
      .where({ state: 'dispatched', endpoint_id: endpoint.endpointId })
      .orderBy('id');
  const takeAll = async () => {
    const claims = await claimDeliveries(runtime, 100);
    const started = await Promise.all(claims.map((claim) => begin(claim)));
    return started.filter((each) => each !== undefined);
  };

  it('claims one for each that ended, and no more than are under way', async () => {
    await givenEvents(runtime, endpoint, 7);
    const started = await takeAll();
    const recorded = await Promise.all(
      started.map((each) => record({ started: each, result: ok }, true)),
    );
    const next = recorded.map((each) => each.next?.id);
    expect(recorded.map(({ outcome }) => outcome)).toEqual(Array(4).fill('delivered'));
    expect(next.filter(Boolean)).toHaveLength(3);
    expect((await dispatched()).map(({ id }) => id)).toEqual(next.filter(Boolean).sort());
    expect(await claimDeliveries(runtime, 100)).toEqual([]);
  });

  it('does not leave what is new for the end of a backlog', async () => {
    await givenEvents(runtime, endpoint, 60);
    const underWay = await takeAll();
    runtime.clock.advance(1_000);
    await givenEvents(runtime, endpoint, 1);
    const fresh = (await deliveriesOf(runtime, endpoint.endpointId)).at(-1)?.id;
    // Either end of the backlog is as likely: twenty times the wrong one is one in a million.
    let [started] = underWay;
    let steps = 0;
    while (started && started.id !== fresh && steps < 20) {
      steps += 1;
      started = (await record({ started, result: ok }, true)).next;
    }
    expect(started?.id).toBe(fresh);
  });

  it('reads and signs it like any other', async () => {
    await givenEvents(runtime, endpoint, 5);
    const [first] = await takeAll();
    if (!first) throw new Error('nothing is due');
    const { next } = await record({ started: first, result: ok }, true);
    expect(next).toMatchObject({ endpointId: endpoint.endpointId, attempt: 1, epoch: 1 });
    expect(next?.request.url).toBe(URL);
    expect(next?.request.headers['x-service-signature']).toMatch(/^[0-9a-f]{64}$/);
    if (!next) throw new Error('there is no next one');
    expect(JSON.parse(next.request.body).id).toBe(next.request.headers['x-service-event-id']);
    expect((await record({ started: next, result: ok })).outcome).toBe('delivered');
  });

  it('leaves it to the fair claim unless asked to', async () => {
    await givenEvents(runtime, endpoint, 5);
    const [first] = await takeAll();
    if (!first) throw new Error('nothing is due');
    const { next } = await record({ started: first, result: ok });
    expect(next).toBeUndefined();
    expect(await claimDeliveries(runtime, 100)).toHaveLength(1);
  });

  it('leaves it to the fair claim while a retry is due', async () => {
    await givenEvents(runtime, endpoint, 6);
    const started = await takeAll();
    const [waiting] = (await deliveriesOf(runtime, endpoint.endpointId)).filter(
      ({ state }) => state === 'pending',
    );
    await runtime.db.knex('webhook_deliveries').where('id', waiting?.id).update({ attempts: 1 });
    const recorded = await Promise.all(
      started.map((each) => record({ started: each, result: ok }, true)),
    );
    expect(recorded.map(({ next }) => next)).toEqual(Array(4).fill(undefined));
    expect(await claimDeliveries(runtime, 100)).toHaveLength(2);
  });

  it('stops at a failure, and when the endpoint was removed', async () => {
    await givenEvents(runtime, endpoint, 8);
    const [failing, removed] = await takeAll();
    if (!failing || !removed) throw new Error('nothing is due');
    expect(await record({ started: failing, result: answered(500) }, true)).toEqual({
      outcome: 'retry',
      next: undefined,
    });
    await removeEndpoint(runtime, endpoint);
    expect(await record({ started: removed, result: ok }, true)).toEqual({
      outcome: 'delivered',
      next: undefined,
    });
  });

  describe('of an endpoint that failed lately', () => {
    /** Four under way of ten; the first of them fails, which leaves six to claim. */
    const givenOneFailed = async () => {
      await givenEvents(runtime, endpoint, 10);
      const [failed, ...others] = await takeAll();
      if (!failed) throw new Error('nothing is due');
      await record({ started: failed, result: answered(503) }, true);
      return others;
    };
    const recordAll = (attempts: Awaited<ReturnType<typeof takeAll>>, result = ok) =>
      Promise.all(attempts.map((started) => record({ started, result }, true)));

    it('claims one for each that was delivered, and no more than are under way', async () => {
      const recorded = await recordAll(await givenOneFailed());
      const next = recorded.map((each) => each.next?.id);
      expect(recorded.map(({ outcome }) => outcome)).toEqual(Array(3).fill('delivered'));
      expect(new Set(next).size).toBe(3);
      expect((await dispatched()).map(({ id }) => id)).toEqual(next.sort());
      expect(await claimDeliveries(runtime, 100)).toHaveLength(1);
      const [started] = recorded.flatMap((each) => each.next ?? []);
      if (!started) throw new Error('there is no next one');
      expect(started).toMatchObject({ endpointId: endpoint.endpointId, attempt: 1, calm: false });
      expect((await record({ started, result: ok })).outcome).toBe('delivered');
    });

    it('leaves what follows to the fair claim once it fails again', async () => {
      const going = await recordAll(await givenOneFailed());
      const [failing, ...others] = going.flatMap(({ next }) => next ?? []);
      if (!failing) throw new Error('there is no next one');
      const recorded = await Promise.all([
        ...others.map((started) => record({ started, result: ok }, true)),
        record({ started: failing, result: answered(503) }, true),
      ]);
      expect(recorded).toEqual([
        { outcome: 'delivered', next: undefined },
        { outcome: 'delivered', next: undefined },
        { outcome: 'retry', next: undefined },
      ]);
      expect(await claimDeliveries(runtime, 100)).toHaveLength(1);
    });

    it('leaves it to the fair claim while a retry is due, and unless asked to', async () => {
      const [first, ...others] = await givenOneFailed();
      if (!first) throw new Error('nothing is under way');
      expect((await record({ started: first, result: ok })).next).toBeUndefined();
      await runtime.db
        .knex('webhook_deliveries')
        .where({ attempts: 1, state: 'pending' })
        .update({ next_attempt_at: runtime.clock.now() });
      const recorded = await recordAll(others);
      expect(recorded.map(({ next }) => next)).toEqual([undefined, undefined]);
    });
  });

  it('never claims more than is free, however many claim meanwhile', async () => {
    await givenEvents(runtime, endpoint, 60);
    let under = await takeAll();
    const seen = new Set(under.map(({ id }) => id));
    while (under.length > 0) {
      const [recorded] = await Promise.all([
        Promise.all(under.map((started) => record({ started, result: ok }, true))),
        claimDeliveries(runtime, 100),
      ]);
      expect((await dispatched()).length).toBeLessThanOrEqual(4);
      const next = recorded.map((each) => each.next).filter((each) => each !== undefined);
      for (const { id } of next) {
        expect(seen.has(id)).toBe(false);
        seen.add(id);
      }
      // What the other claim took is given back, as if its worker had gone.
      const others = (await dispatched()).filter(({ id }) => next.every((each) => each.id !== id));
      await runtime.db
        .knex('webhook_deliveries')
        .whereIn(
          'id',
          others.map(({ id }) => id),
        )
        .update({ state: 'pending' });
      under = next.length > 0 ? next : await takeAll();
    }
    expect(await countStates(runtime)).toEqual({ delivered: 60 });
  });

  it('is taken back when its lease is over, but not because Redis was wiped', async () => {
    await givenEvents(runtime, endpoint, 5);
    const [first, ...others] = await takeAll();
    if (!first) throw new Error('nothing is due');
    for (const started of others) await record({ started, result: ok });
    const { next } = await record({ started: first, result: ok }, true);
    expect(next).toBeDefined();
    expect(await takeBack(true)).toBe(0);
    runtime.clock.advance(runtime.config.webhookTimeoutMs);
    expect(await takeBack(true)).toBe(0);
    runtime.clock.advance(runtime.config.webhookTimeoutMs);
    expect(await takeBack(false)).toBe(1);
    const [again] = await takeAll();
    expect(again).toMatchObject({ id: next?.id, epoch: 2, attempt: 1 });
  });
});
