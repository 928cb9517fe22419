import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { prunePings } from '../../../shared/delivery/events/prune-pings.ts';
import { listEvents } from '../../../shared/delivery/events/read-events.ts';
import { sendPing } from '../../../shared/delivery/events/record-events.ts';
import {
  type ClaimedDelivery,
  updateUndeliverableCancelled,
} from '../../../shared/delivery/webhooks/delivery-engine.store.ts';
import { recordAttempts } from '../../../shared/delivery/webhooks/delivery-engine.ts';
import {
  registerEndpoint,
  removeEndpoint,
} from '../../../shared/delivery/webhooks/manage-endpoint.ts';
import { resendDelivery } from '../../../shared/delivery/webhooks/resend-webhook.ts';
import { addMs, DAY, SECOND } from '../../../shared/platform/clock.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { rowsReadBy, type Statement, statementsOf } from '../../support/statements.ts';
import {
  answered,
  attemptOf,
  claim,
  type DeliveryRow,
  deliveriesOf,
  givenEndpoint,
  givenEvents,
  givenSubject,
  record,
  SECRET,
  takeOver,
} from '../../support/webhooks.ts';

const URL = 'http://127.0.0.1:9999/hook';

let runtime: TestRuntime;
let endpoint: Awaited<ReturnType<typeof givenEndpoint>>;

beforeEach(async () => {
  runtime = await createTestRuntime();
  endpoint = await givenEndpoint(runtime, URL);
});
afterEach(() => runtime.stop());

async function claimNext(): Promise<ClaimedDelivery> {
  const [claimed] = await claim(runtime, 1);
  if (!claimed) throw new Error('nothing is due');
  return claimed;
}

/** Records as many answers at once, in this order. */
async function recordTogether(claimed: readonly ClaimedDelivery[], statuses: readonly number[]) {
  const attempts = claimed.map((each, at) => ({
    ...attemptOf(runtime, each, answered(statuses[at] ?? 0)),
    endedAt: addMs(runtime.clock.now(), at),
  }));
  const states = await recordAttempts(runtime, attempts);
  return claimed.map(({ id }) => states.get(id));
}

const health = () => runtime.db.knex('webhook_endpoints').where('id', endpoint.endpointId).first();
const attempts = () => runtime.db.knex('webhook_attempts').orderBy('attempt');

describe('recording an attempt', () => {
  it.each([200, 500])('reads nothing of what waits for its turn, after a %i', async (status) => {
    await givenEvents(runtime, endpoint, 1);
    const claimed = await claimNext();
    const { knex } = runtime.db;
    await knex.raw(
      `insert into webhook_deliveries (id, endpoint_id, partner_id, environment, event_id, state, next_attempt_at, created_at)
       select d.id || '_' || n, d.endpoint_id, d.partner_id, d.environment, d.event_id, 'delivered', d.next_attempt_at, d.created_at
       from webhook_deliveries d, generate_series(1, 20000) n`,
    );
    // The statistics know of none that waits.
    await knex.raw('vacuum analyze webhook_deliveries');
    await knex('webhook_deliveries').where({ state: 'delivered' }).update({ state: 'pending' });
    const [statement] = await statementsOf(runtime, () =>
      record(runtime, claimed, answered(status)),
    );
    expect(await rowsReadBy(runtime, statement as Statement, 'webhook_deliveries')).toBeLessThan(
      10,
    );
  });

  it('ends a delivery that was accepted and notes the success', async () => {
    await givenEvents(runtime, endpoint, 1);
    const claimed = await claimNext();
    expect(await record(runtime, claimed, answered(204, 'thanks\u0000'))).toBe('delivered');
    const [delivery] = await deliveriesOf(runtime, endpoint.endpointId);
    expect(delivery).toMatchObject({ state: 'delivered', attempts: 1 });
    expect(delivery?.finished_at).not.toBeNull();
    expect(await attempts()).toMatchObject([
      {
        attempt: 1,
        status: 204,
        outcome: 'delivered',
        elapsed_ms: 7,
        response_excerpt: 'thanks\ufffd',
      },
    ]);
    expect((await health()).last_success_at).not.toBeNull();
  });

  it('of a subject writes nothing of what waits behind it, whatever came of it', async () => {
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
    const claimed = await claimNext();
    expect(claimed.id).toBe(first.id);
    await record(runtime, claimed, answered(200));
    expect(await waiting()).toEqual(behind);

    const next = await claimNext();
    await record(runtime, next, answered(503));
    expect(await waiting()).toEqual(behind.slice(1));
    const [retry] = await knex('webhook_deliveries').where({ id: next.id });
    runtime.clock.set(addMs(retry.next_attempt_at, -1));
    expect(await claim(runtime, 10)).toEqual([]);
    runtime.clock.advance(1);
    expect(await claimNext()).toMatchObject({ id: next.id, attempts: 1 });
  });

  it('puts a failed delivery back on the schedule, with jitter, until the schedule is over', async () => {
    await givenEvents(runtime, endpoint, 1);
    const schedule = runtime.config.webhookScheduleMs;
    for (const [index, wait] of schedule.entries()) {
      const claimed = await claimNext();
      expect(claimed.attempts).toBe(index);
      const now = runtime.clock.now();
      expect(await record(runtime, claimed, answered(500))).toBe('pending');
      const [delivery] = await deliveriesOf(runtime, endpoint.endpointId);
      const waits = (delivery as DeliveryRow).next_attempt_at.getTime() - now.getTime();
      expect(waits).toBeGreaterThanOrEqual(wait * 0.8 - 1);
      expect(waits).toBeLessThanOrEqual(wait * 1.2 + 1_000);
      expect(await claim(runtime, 1)).toEqual([]);
      // Past the breaker as well.
      runtime.clock.advance(Math.max(waits, 600_000));
    }
    const claimed = await claimNext();
    expect(await record(runtime, claimed, answered(500))).toBe('exhausted');
    expect(await attempts()).toHaveLength(12);
  });

  it('honours Retry-After', async () => {
    await givenEvents(runtime, endpoint, 1);
    const claimed = await claimNext();
    const before = runtime.clock.now().getTime();
    await record(runtime, claimed, answered(503, '', { 'retry-after': '900' }));
    const [delivery] = await deliveriesOf(runtime, endpoint.endpointId);
    expect((delivery as DeliveryRow).next_attempt_at.getTime()).toBeGreaterThanOrEqual(
      before + 900_000,
    );
  });

  it('says why there was no answer', async () => {
    await givenEvents(runtime, endpoint, 1);
    const detail = 'no complete answer within 5000 ms';
    const late = { kind: 'failure', reason: 'timeout', detail, elapsedMs: 5_000 } as const;
    await record(runtime, await claimNext(), late);
    expect(await attempts()).toMatchObject([{ status: null, outcome: 'timeout', detail }]);
  });

  it('keeps what was sent and the first 4 kB of what came back', async () => {
    await givenEvents(runtime, endpoint, 1);
    const body = `${'x'.repeat(4_095)}\u00fc and more`;
    await record(runtime, await claimNext(), answered(200, body, { 'x-trace': 'abc' }));
    const [attempt] = await attempts();
    expect(attempt.response_body).toBe('x'.repeat(4_095));
    expect(attempt.response_headers).toEqual({ 'x-trace': 'abc' });
    expect(attempt.request_headers['x-service-signature']).toMatch(/^[0-9a-f]{64}$/);
  });

  it('lets a zombie change nothing', async () => {
    await givenEvents(runtime, endpoint, 1);
    const zombie = await claimNext();
    await takeOver(runtime);
    const claimed = await claimNext();
    expect(await record(runtime, zombie, answered(410))).toBeUndefined();
    expect(await record(runtime, zombie, answered(200))).toBeUndefined();
    expect((await health()).active).toBe(true);
    expect(await attempts()).toEqual([]);
    expect(await record(runtime, claimed, answered(200))).toBe('delivered');
    expect(await record(runtime, claimed, answered(200))).toBeUndefined();
    expect(await attempts()).toHaveLength(1);
  });

  it('takes the outcome of a delivery that was taken over and not yet claimed anew', async () => {
    await givenEvents(runtime, endpoint, 1);
    const claimed = await claimNext();
    expect(await takeOver(runtime)).toBe(1);
    expect(await record(runtime, claimed, answered(200))).toBe('delivered');
    expect(await claim(runtime, 1)).toEqual([]);
  });

  it('opens the breaker after ten failures and closes it with a successful probe', async () => {
    await givenEvents(runtime, endpoint, 12);
    for (let failed = 0; failed < 10; failed += 1) {
      const claimed = await claimNext();
      await record(runtime, claimed, answered(500));
    }
    expect((await health()).open_until).not.toBeNull();
    expect(await claim(runtime)).toEqual([]);
    runtime.clock.advance(31_000);
    const claimed = await claimNext();
    expect(await claim(runtime)).toEqual([]);
    await record(runtime, claimed, answered(200));
    expect(await health()).toMatchObject({ open_until: null, failing_since: null });
    expect(await claim(runtime)).toHaveLength(2);
  });

  it('disables an endpoint that says 410 and cancels what waits for it', async () => {
    await givenEvents(runtime, endpoint, 3);
    const claimed = await claimNext();
    const underWay = await claimNext();
    expect(await record(runtime, claimed, answered(410))).toBe('cancelled');
    expect(await health()).toMatchObject({ active: false, disabled_reason: 'gone' });
    expect(await record(runtime, underWay, answered(500))).toBe('cancelled');
    const states = (await deliveriesOf(runtime, endpoint.endpointId)).map((row) => row.state);
    expect(states).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  it('disables an endpoint after days of nothing but failure', async () => {
    await givenEvents(runtime, endpoint, 3);
    await record(runtime, await claimNext(), answered(500));
    runtime.clock.advance(5 * DAY - 60_000);
    await record(runtime, await claimNext(), answered(500));
    expect((await health()).active).toBe(true);
    runtime.clock.advance(120_000);
    await record(runtime, await claimNext(), answered(500));
    expect(await health()).toMatchObject({ active: false, disabled_reason: 'failing' });
    const { rows } = await listEvents(runtime, endpoint, { afterId: null, limit: 10 });
    expect(rows.at(-1)).toMatchObject({
      type: 'webhook.endpoint_disabled',
      data: { endpoint: { id: endpoint.endpointId, disabled_reason: 'failing' } },
    });
  });

  it('holds nothing against a new address that the old one said', async () => {
    await givenEvents(runtime, endpoint, 1);
    const claimed = await claimNext();
    await registerEndpoint(runtime, endpoint, { url: `${URL}/new`, secret: SECRET });
    expect(await record(runtime, claimed, answered(410))).toBe('pending');
    expect(await health()).toMatchObject({ active: true, failing_since: null });
  });

  it('cancels what was scheduled while the endpoint was removed', async () => {
    await givenEvents(runtime, endpoint, 2);
    const claimed = await claimNext();
    await removeEndpoint(runtime, endpoint);
    expect(await record(runtime, claimed, answered(200))).toBe('delivered');
    await runtime.db
      .knex('webhook_deliveries')
      .where('id', claimed.id)
      .update({ state: 'pending' });
    await updateUndeliverableCancelled.run(runtime.db.knex, { now: runtime.clock.now() });
    const states = (await deliveriesOf(runtime, endpoint.endpointId)).map((row) => row.state);
    expect(states).toEqual(['cancelled', 'cancelled']);
    expect((await health()).secret_ciphertext).toHaveLength(0);
  });

  /** The runtime at the end of the time that deliveries of now are kept, and `ms` later. */
  const afterKeep = (ms: number) => {
    const keptUntil = addMs(runtime.clock.now(), runtime.config.deliveryKeepDays * DAY + ms);
    return { ...runtime, clock: { now: () => keptUntil } };
  };

  it('prunes a ping with its last delivery; what is in the history stays', async () => {
    const end = async () => record(runtime, await claimNext(), answered(200));
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

describe('attempts recorded together', () => {
  it('count once each, for their deliveries and for their endpoint', async () => {
    await givenEvents(runtime, endpoint, 4);
    const claimed = await claim(runtime);
    const states = await recordTogether(claimed, [503, 200, 404, 200]);
    expect(states).toEqual(['pending', 'delivered', 'pending', 'delivered']);
    const { breaker, failing_since: failingSince } = await health();
    expect(breaker).toMatchObject({ attempts: 4, failures: 2 });
    expect(failingSince).toBeNull();
    expect(await attempts()).toHaveLength(4);
  });

  it('cancel what is still to come when one of them ends the endpoint', async () => {
    await givenEvents(runtime, endpoint, 6);
    const states = await recordTogether(await claim(runtime), [503, 410, 503, 200]);
    expect(states).toEqual(['cancelled', 'cancelled', 'cancelled', 'delivered']);
    const left = (await deliveriesOf(runtime, endpoint.endpointId)).map(({ state }) => state);
    expect(left.sort()).toEqual([...Array(5).fill('cancelled'), 'delivered']);
  });

  it('of one endpoint are counted by two workers at once, and none is lost', async () => {
    await givenEvents(runtime, endpoint, 40);
    await runtime.db.knex('webhook_endpoints').update({ concurrency: 40 });
    const claimed = await claim(runtime);
    expect(claimed).toHaveLength(40);
    await Promise.all(
      claimed.map((each, at) => record(runtime, each, answered(at % 4 ? 200 : 404))),
    );
    expect((await health()).breaker).toMatchObject({ attempts: 40, failures: 10 });
  });
});

describe('the circuit breaker', () => {
  /** Answers `.` well and `x` badly, one a second, whatever the breaker says. */
  const play = async (pattern: string) => {
    await givenEvents(runtime, endpoint, pattern.length);
    for (const mark of pattern) {
      const { open_until: openUntil, failing_since: failingSince } = await health();
      await runtime.db.knex('webhook_endpoints').update({ open_until: null, failing_since: null });
      const claimed = await claimNext();
      const before = { open_until: openUntil, failing_since: failingSince };
      await runtime.db.knex('webhook_endpoints').update(before);
      await record(runtime, claimed, answered(mark === '.' ? 200 : 500));
      runtime.clock.advance(SECOND);
    }
  };
  /** To the second: the clock of the test goes on meanwhile. */
  const openForMs = async () => {
    const ms = (await health()).open_until.getTime() - runtime.clock.now().getTime();
    return Math.round(ms / SECOND) * SECOND;
  };

  it.each([
    ['nine failures', 'xxxxxxxxx', 'closed'],
    ['ten failures', 'xxxxxxxxxx', 'open'],
    ['seven failures in ten', '...xxxxxxx', 'open'],
    ['six failures in ten', '....xxxxxx', 'closed'],
    ['a success as the tenth', 'xxxxxxxxx.', 'closed'],
    ['the next failure after that', 'xxxxxxxxx.x', 'open'],
    ['a success while it is open', 'xxxxxxxxxx.', 'closed'],
  ])('after %s is %s', async (_what, pattern, state) => {
    await play(pattern);
    expect((await health()).open_until === null ? 'closed' : 'open').toBe(state);
  });

  it('forgets what is older than five minutes', async () => {
    await play('xxxxxxxxx');
    runtime.clock.advance(300 * SECOND);
    await play('x');
    expect(await health()).toMatchObject({ open_until: null, breaker: { attempts: 1 } });
  });

  it('opens for 30 seconds, is not lengthened meanwhile, and for twice as long after each failed probe', async () => {
    await play('xxxxxxxxxx');
    expect(await openForMs()).toBe(29_000);
    await play('xx');
    const lengths: number[] = [(await openForMs()) + 3_000];
    for (let probe = 0; probe < 6; probe += 1) {
      runtime.clock.advance(await openForMs());
      await play('x');
      lengths.push((await openForMs()) + 1_000);
    }
    expect(lengths).toEqual([30, 60, 120, 240, 480, 600, 600].map((each) => each * SECOND));
    runtime.clock.advance(await openForMs());
    await play('.');
    expect(await health()).toMatchObject({ open_until: null, breaker: null });
  });
});

describe('how much an endpoint gets at a time', () => {
  const concurrency = async () => (await health()).concurrency;
  const claimAndAnswer = async (status: number) =>
    recordTogether(await claim(runtime), Array(100).fill(status));

  it('is one more after each round of quick successes, up to the limit', async () => {
    await givenEvents(runtime, endpoint, 300);
    for (const expected of [5, 6, 7, 8]) {
      await claimAndAnswer(200);
      expect(await concurrency()).toBe(expected);
    }
    await runtime.db.knex('webhook_endpoints').update({ concurrency: 63.5 });
    await claimAndAnswer(200);
    expect(await concurrency()).toBe(64);
    expect(await claim(runtime)).toHaveLength(64);
  });

  it('stays where it is while there is less to do', async () => {
    await givenEvents(runtime, endpoint, 3);
    await claimAndAnswer(200);
    expect(await concurrency()).toBe(4);
  });

  it.each([429, 500, 503])('is half after a round that ended with %i, once', async (status) => {
    await runtime.db.knex('webhook_endpoints').update({ concurrency: 16 });
    await givenEvents(runtime, endpoint, 20);
    const claimed = await claim(runtime);
    const all = claimed.map((each) => attemptOf(runtime, each, answered(status)));
    runtime.clock.advance(100);
    for (const attempt of all) await recordAttempts(runtime, [attempt]);
    expect(await concurrency()).toBe(8);
  });

  it('is not changed by an answer that is about one event', async () => {
    await givenEvents(runtime, endpoint, 1);
    await claimAndAnswer(404);
    expect(await concurrency()).toBe(4);
  });
});
