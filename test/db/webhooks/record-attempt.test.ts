import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { prunePings, sendPing } from '../../../shared/messaging/events/pings.ts';
import { type AttemptRecord, createAttempts } from '../../../shared/messaging/webhooks/attempt.ts';
import { updatePendingCancelled } from '../../../shared/messaging/webhooks/delivery.store.ts';
import type { DeliveryStatus } from '../../../shared/messaging/webhooks/delivery.ts';
import type {
  DueDelivery,
  HealthRecord,
} from '../../../shared/messaging/webhooks/delivery-work.store.ts';
import { healthOf } from '../../../shared/messaging/webhooks/endpoint-health.ts';
import {
  registerEndpoint,
  removeEndpoint,
} from '../../../shared/messaging/webhooks/manage-endpoint.ts';
import { resendDelivery } from '../../../shared/messaging/webhooks/requested-deliveries.ts';
import { addMs, DAY, MINUTE, SECOND } from '../../../shared/platform/clock.ts';
import type { OutboundResult } from '../../../shared/platform/outbound/http-client.ts';
import { eventually } from '../../support/eventually.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { rowsReadBy, type Statement, statementsOf } from '../../support/statements.ts';
import {
  answered,
  attemptOf,
  type DeliveryRow,
  type DueTo,
  deliveriesOf,
  dueTo,
  givenEndpoint,
  givenEvents,
  givenSubject,
  record,
  SECRET,
} from '../../support/webhooks.ts';

const URL = 'http://127.0.0.1:9999/hook';

let runtime: TestRuntime;
let endpoint: Awaited<ReturnType<typeof givenEndpoint>>;
let found: DueTo | undefined;

beforeEach(async () => {
  runtime = await createTestRuntime();
  endpoint = await givenEndpoint(runtime, URL);
  found = undefined;
});
afterEach(() => runtime.stop());

/** The endpoint's job; it needs a pending delivery. */
const job = async () => {
  found ??= await dueTo(runtime, endpoint.endpointId);
  return found;
};

async function takeNext(): Promise<DueDelivery> {
  const [taken] = await (await job()).take(1);
  if (!taken) throw new Error('nothing is due');
  return taken;
}

const attempted = async (delivery: DueDelivery, result: OutboundResult): Promise<AttemptRecord> =>
  attemptOf(runtime, (await job()).endpoint, delivery, result);

/** Records the result of an attempt. */
async function answer(
  delivery: DueDelivery,
  result: OutboundResult,
): Promise<DeliveryStatus | undefined> {
  const state = await record(runtime, await attempted(delivery, result));
  (await job()).end(delivery);
  return state;
}

const endpointRow = () =>
  runtime.db.knex('webhook_endpoints').where('id', endpoint.endpointId).first();
const attempts = () => runtime.db.knex('webhook_attempts').orderBy('attempt');

describe('recording an attempt', () => {
  it.each([200, 500])('reads no waiting deliveries after a %i', async (status) => {
    await givenEvents(runtime, endpoint, 1);
    const attempt = await attempted(await takeNext(), answered(status));
    const { knex } = runtime.db;
    await knex.raw(
      `insert into webhook_deliveries (id, endpoint_id, partner_id, environment, event_id, event_type, state, next_attempt_at, created_at)
       select d.id || '_' || n, d.endpoint_id, d.partner_id, d.environment, d.event_id, d.event_type, 'delivered', d.next_attempt_at, d.created_at
       from webhook_deliveries d, generate_series(1, 20000) n`,
    );
    // The planner statistics contain no pending deliveries.
    await knex.raw('vacuum analyze webhook_deliveries');
    await knex('webhook_deliveries').where({ state: 'delivered' }).update({ state: 'pending' });
    const [statement] = await statementsOf(runtime, () => record(runtime, attempt));
    expect(await rowsReadBy(runtime, statement as Statement, 'webhook_deliveries')).toBeLessThan(
      10,
    );
  });

  it('reads no earlier deliveries while there are few', async () => {
    await givenEvents(runtime, endpoint, 1);
    const attempt = await attempted(await takeNext(), answered(200));
    const { knex } = runtime.db;
    await knex.raw(
      `insert into webhook_deliveries (id, endpoint_id, partner_id, environment, event_id, event_type, state, next_attempt_at, created_at)
       select d.id || '_' || n, d.endpoint_id, d.partner_id, d.environment, d.event_id, d.event_type, 'delivered', d.next_attempt_at, d.created_at
       from webhook_deliveries d, generate_series(1, 1000) n`,
    );
    await knex.raw('vacuum analyze webhook_deliveries');
    const [statement] = await statementsOf(runtime, () => record(runtime, attempt));
    expect(await rowsReadBy(runtime, statement as Statement, 'webhook_deliveries')).toBeLessThan(
      10,
    );
  });

  it('finishes a delivery that was accepted', async () => {
    await givenEvents(runtime, endpoint, 1);
    const delivery = await takeNext();
    expect(await answer(delivery, answered(204, 'thanks\u0000'))).toBe('delivered');
    const [row] = await deliveriesOf(runtime, endpoint.endpointId);
    expect(row).toMatchObject({ state: 'delivered', attempts: 1 });
    expect(row?.finished_at).not.toBeNull();
    expect(await attempts()).toMatchObject([
      {
        attempt: 1,
        status: 204,
        outcome: 'delivered',
        elapsed_ms: 7,
        response_body: 'thanks\ufffd',
      },
    ]);
  });

  it('writes nothing to the deliveries behind it in an ordered subject', async () => {
    const { knex } = runtime.db;
    await knex('webhook_endpoints').update({ ordering: 'per_subject' });
    const subject = givenSubject();
    await givenEvents(runtime, endpoint, 10, () => subject);
    const waiting = () =>
      knex('webhook_deliveries')
        .where('attempts', 0)
        .orderBy('position')
        .select('id', 'next_attempt_at', knex.raw('xmin::text as written'));
    const [first, ...behind] = await waiting();
    const delivery = await takeNext();
    expect(delivery.id).toBe(first.id);
    await answer(delivery, answered(200));
    expect(await waiting()).toEqual(behind);

    const next = await takeNext();
    await answer(next, answered(503));
    expect(await waiting()).toEqual(behind.slice(1));
    const [retry] = await knex('webhook_deliveries').where({ id: next.id });
    runtime.clock.set(addMs(retry.next_attempt_at, -1));
    expect(await (await job()).take(10)).toEqual([]);
    runtime.clock.advance(1);
    expect(await takeNext()).toMatchObject({ id: next.id, attempts: 1 });
  });

  it('reschedules a failed delivery, with jitter, until the schedule is exhausted', async () => {
    await givenEvents(runtime, endpoint, 1);
    const schedule = runtime.config.webhookScheduleMs;
    for (const [index, wait] of schedule.entries()) {
      const delivery = await takeNext();
      expect(delivery.attempts).toBe(index);
      const now = runtime.clock.now();
      expect(await answer(delivery, answered(500))).toBe('pending');
      const [row] = await deliveriesOf(runtime, endpoint.endpointId);
      const waits = (row as DeliveryRow).next_attempt_at.getTime() - now.getTime();
      expect(waits).toBeGreaterThanOrEqual(wait * 0.8 - 1);
      expect(waits).toBeLessThanOrEqual(wait * 1.2 + 1_000);
      expect(await (await job()).take(1)).toEqual([]);
      runtime.clock.advance(waits);
    }
    const delivery = await takeNext();
    expect(await answer(delivery, answered(500))).toBe('exhausted');
    expect(await attempts()).toHaveLength(12);
  });

  it('honors Retry-After', async () => {
    await givenEvents(runtime, endpoint, 1);
    const delivery = await takeNext();
    const before = runtime.clock.now().getTime();
    await answer(delivery, answered(503, '', { 'retry-after': '900' }));
    const [row] = await deliveriesOf(runtime, endpoint.endpointId);
    expect((row as DeliveryRow).next_attempt_at.getTime()).toBeGreaterThanOrEqual(before + 900_000);
  });

  it('stores why there was no response', async () => {
    await givenEvents(runtime, endpoint, 1);
    const detail = 'no complete answer within 5000 ms';
    const late = { kind: 'failure', reason: 'timeout', detail, elapsedMs: 5_000 } as const;
    await answer(await takeNext(), late);
    expect(await attempts()).toMatchObject([{ status: null, outcome: 'timeout', detail }]);
  });

  it('stores what was sent and the first 4 kB of the response', async () => {
    await givenEvents(runtime, endpoint, 1);
    const body = `${'x'.repeat(4_095)}\u00fc and more`;
    await answer(await takeNext(), answered(200, body, { 'x-trace': 'abc' }));
    const [attempt] = await attempts();
    expect(attempt.response_body).toBe('x'.repeat(4_095));
    expect(attempt.response_headers).toEqual({ 'x-trace': 'abc' });
    expect(attempt.request_headers['x-service-signature']).toMatch(/^[0-9a-f]{64}$/);
  });

  it('counts each attempt once, whichever worker made it', async () => {
    await givenEvents(runtime, endpoint, 1);
    const first = await takeNext();
    // Another worker has taken over the job and sends the same delivery again.
    const again = { ...first };
    expect(await answer(first, answered(500))).toBe('pending');
    expect(await answer(again, answered(200))).toBeUndefined();
    expect(await attempts()).toMatchObject([{ attempt: 1, status: 500 }]);
    const [row] = await deliveriesOf(runtime, endpoint.endpointId);
    expect(row).toMatchObject({ state: 'pending', attempts: 1 });

    runtime.clock.advance(MINUTE);
    const second = await takeNext();
    expect(second.attempts).toBe(1);
    expect(await answer(second, answered(200))).toBe('delivered');
    expect(await answer(second, answered(500))).toBeUndefined();
    expect(await attempts()).toHaveLength(2);
  });

  it('marks a canceled delivery as delivered only if it succeeded', async () => {
    await givenEvents(runtime, endpoint, 3);
    const [heard, refused, never] = (await (await job()).take()) as [
      DueDelivery,
      DueDelivery,
      DueDelivery,
    ];
    await removeEndpoint(runtime, endpoint);
    expect(await answer(heard, answered(200))).toBe('delivered');
    expect(await answer(refused, answered(500))).toBe('cancelled');
    const rows = await deliveriesOf(runtime, endpoint.endpointId);
    const states = Object.fromEntries(rows.map(({ id, state }) => [id, state]));
    expect(states).toEqual({
      [heard.id]: 'delivered',
      [refused.id]: 'cancelled',
      [never.id]: 'cancelled',
    });
    expect(await attempts()).toHaveLength(2);
    expect((await endpointRow()).secret_ciphertext).toHaveLength(0);
  });

  /** The runtime `ms` after today's deliveries expire. */
  const afterKeep = (ms: number) => {
    const keptUntil = addMs(runtime.clock.now(), runtime.config.deliveryKeepDays * DAY + ms);
    return { ...runtime, clock: { now: () => keptUntil } };
  };

  it('prunes a ping with its last delivery but keeps events in the history', async () => {
    const end = async () => answer(await takeNext(), answered(200));
    await givenEvents(runtime, endpoint, 1);
    await end();
    const delivery = await sendPing(runtime, endpoint);
    await end();
    const resent = await resendDelivery(runtime, endpoint, delivery);
    const pings = async () =>
      (await runtime.db.knex('events').where({ type: 'webhook.ping' })).length;
    expect(await prunePings(afterKeep(SECOND), 10)).toBe(0);
    await runtime.db.knex('webhook_deliveries').whereNot('id', resent).delete();
    expect(await prunePings(afterKeep(SECOND), 10)).toBe(0);
    await runtime.db.knex('webhook_deliveries').delete();
    expect(await prunePings(afterKeep(-SECOND), 10)).toBe(0);
    expect(await prunePings(afterKeep(SECOND), 10)).toBe(1);
    expect(await pings()).toBe(0);
    expect(await runtime.db.knex('events')).toHaveLength(1);
  });
});

describe('endpoint health', () => {
  /** An attempt and the endpoint health to write with it. */
  async function given(changes: Partial<HealthRecord>) {
    await givenEvents(runtime, endpoint, 1);
    const attempt = await attempted(await takeNext(), answered(500));
    const { endpoint: served } = await job();
    const { id, version } = served;
    return { attempt, health: { id, version, ...healthOf(served), ...changes } };
  }
  const changes = { failingSince: new Date('2026-03-01T12:00:00Z'), concurrency: 2 };

  it('is written with the attempt', async () => {
    const { attempt, health } = await given(changes);
    expect(await record(runtime, attempt, health)).toBe('pending');
    const { failing_since: failingSince, concurrency } = await endpointRow();
    expect({ failingSince, concurrency }).toEqual(changes);
  });

  it('is not written over a change by the partner, which resets it', async () => {
    const { attempt, health } = await given(changes);
    await registerEndpoint(runtime, endpoint, { url: `${URL}/new`, secret: SECRET });
    expect(await record(runtime, attempt, health)).toBe('pending');
    expect(await endpointRow()).toMatchObject({
      active: true,
      failing_since: null,
      concurrency: 4,
    });
    expect(await attempts()).toHaveLength(1);
  });
});

describe('attempts recorded while their endpoint is being changed', () => {
  it('wait for the change, which does not wait for them', async () => {
    await givenEvents(runtime, endpoint, 2);
    const attempt = await attempted(await takeNext(), answered(500));
    const { id, version, ...served } = (await job()).endpoint;
    const health = { id, version, ...healthOf(served), failingSince: runtime.clock.now() };
    let recorded: Promise<DeliveryStatus | undefined> | undefined;
    await runtime.db.knex.transaction(async (tx) => {
      await tx.raw(`set local lock_timeout = '500ms'`);
      await tx('webhook_endpoints').where({ id }).update({ active: false });
      recorded = record(runtime, attempt, health);
      await eventually(waitForLocks, (count) => count === 1);
      await updatePendingCancelled.run(tx, { endpointId: id, now: runtime.clock.now() });
    });
    expect(await recorded).toBe('cancelled');
  });

  const waitForLocks = async () => {
    const { rows } = await runtime.db.knex.raw(
      `select count(*)::int as waiting from pg_stat_activity
       where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return rows[0].waiting;
  };
});

describe('attempts recorded together', () => {
  const recorder = () => {
    const attempts = createAttempts(runtime);
    const { signal } = new AbortController();
    return (attempt: AttemptRecord) =>
      attempts.record({ record: attempt, health: () => undefined, signal });
  };

  it('are recorded once each, in a few statements', async () => {
    await givenEvents(runtime, endpoint, 150);
    const taken = await (await job()).take(150);
    const ended = await Promise.all(
      taken.map((each, at) => attempted(each, answered([503, 200, 404, 200][at % 4] ?? 0))),
    );
    const write = recorder();
    let states: unknown[] = [];
    const sent = await statementsOf(runtime, async () => {
      states = await Promise.all(ended.map(write));
    });
    const expected = ['pending', 'delivered', 'pending', 'delivered'];
    expect(states).toEqual(taken.map((_, at) => expected[at % 4]));
    expect(sent.length).toBeLessThanOrEqual(2);
    expect(await attempts()).toHaveLength(150);
  });

  it('are recorded once each when two workers write at the same time', async () => {
    await givenEvents(runtime, endpoint, 40);
    const taken = await (await job()).take(40);
    const ended = await Promise.all(
      taken.map((each, at) => attempted(each, answered(at % 4 ? 200 : 404))),
    );
    const [one, other] = [recorder(), recorder()];
    // Both record every attempt, in opposite orders.
    const [first, second] = await Promise.all([
      Promise.all(ended.map(one)),
      Promise.all([...ended].reverse().map(other)),
    ]);
    for (const [at, state] of second.reverse().entries()) {
      expect([state, first[at]].filter((each) => each !== undefined)).toHaveLength(1);
    }
    expect(await attempts()).toHaveLength(40);
  });

  it('are all recorded even if Postgres rejects one, whose outcome is kept', async () => {
    await givenEvents(runtime, endpoint, 10);
    const taken = await (await job()).take(10);
    const ended = await Promise.all(taken.map((each) => attempted(each, answered(200, 'fine'))));
    const [odd, ...sound] = ended as [AttemptRecord, ...AttemptRecord[]];
    const write = recorder();
    // Text with a NUL, which only a bug of ours would let through.
    const states = await Promise.all([...sound, { ...odd, responseBody: 'a\u0000b' }].map(write));
    expect(new Set(states)).toEqual(new Set(['delivered']));
    const logged = await runtime.db.knex('webhook_attempts').whereNull('response_body');
    expect(logged).toMatchObject([
      { delivery_id: odd.id, status: 200, outcome: 'delivered', request_headers: null },
    ]);
    expect(await attempts()).toHaveLength(10);
  });
});
