import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pruneDeliveries } from '../../../shared/delivery/events/prune-deliveries.ts';
import { sendPing } from '../../../shared/delivery/events/record-events.ts';
import type { EndedAttempt } from '../../../shared/delivery/webhooks/attempt-result.ts';
import {
  createAttemptStarter,
  type StartedAttempt,
} from '../../../shared/delivery/webhooks/begin-attempt.ts';
import type { ClaimedDelivery } from '../../../shared/delivery/webhooks/delivery.ts';
import {
  claimDeliveries,
  reclaimDeliveries,
} from '../../../shared/delivery/webhooks/dispatch-deliveries.ts';
import {
  registerEndpoint,
  removeEndpoint,
} from '../../../shared/delivery/webhooks/manage-endpoint.ts';
import { createAttemptRecorder } from '../../../shared/delivery/webhooks/record-attempt.ts';
import { resendDelivery } from '../../../shared/delivery/webhooks/resend-webhook.ts';
import { addMs, DAY, SECOND } from '../../../shared/platform/clock.ts';
import type { OutboundResult } from '../../../shared/platform/outbound/http-client.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import {
  type DeliveryRow,
  deliveriesOf,
  givenEndpoint,
  givenEvents,
  SECRET,
} from '../../support/webhooks.ts';

const URL = 'http://127.0.0.1:9999/hook';

let runtime: TestRuntime;
let begin: ReturnType<typeof createAttemptStarter>;
let recordAttempt: ReturnType<typeof createAttemptRecorder>;
let endpoint: Awaited<ReturnType<typeof givenEndpoint>>;

beforeEach(async () => {
  runtime = await createTestRuntime();
  begin = createAttemptStarter(runtime);
  recordAttempt = createAttemptRecorder(runtime);
  endpoint = await givenEndpoint(runtime, URL);
});
afterEach(() => runtime.stop());

const record = async (ended: EndedAttempt) => (await recordAttempt(ended)).outcome;

const answered = (status: number, body = '', headers = {}): OutboundResult => ({
  kind: 'response',
  status,
  headers,
  body: Buffer.from(body),
  truncated: false,
  elapsedMs: 7,
});

async function startNext(): Promise<{ claim: ClaimedDelivery; started: StartedAttempt }> {
  const [claim] = await claimDeliveries(runtime, 1);
  if (!claim) throw new Error('nothing is due');
  const started = await begin(claim);
  if (!started) throw new Error('the claim is stale');
  return { claim, started };
}

const health = () => runtime.db.knex('webhook_endpoints').where('id', endpoint.endpointId).first();
const attempts = () => runtime.db.knex('webhook_attempts').orderBy('attempt');
const takeBack = (wiped: boolean) =>
  reclaimDeliveries(runtime, { wiped, isQueued: async (claims) => claims.map(() => false) });

describe('recording an attempt', () => {
  it('ends a delivery that was accepted and notes the success', async () => {
    await givenEvents(runtime, endpoint, 1);
    const { started } = await startNext();
    expect(await record({ started, result: answered(204, 'thanks\u0000') })).toBe('delivered');
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

  it('puts a failed delivery back on the schedule, with jitter, until the schedule is over', async () => {
    await givenEvents(runtime, endpoint, 1);
    const schedule = runtime.config.webhookScheduleMs;
    for (const [index, wait] of schedule.entries()) {
      const { started } = await startNext();
      expect(started.attempt).toBe(index + 1);
      const now = runtime.clock.now();
      expect(await record({ started, result: answered(500) })).toBe('retry');
      const [delivery] = await deliveriesOf(runtime, endpoint.endpointId);
      const waits = (delivery as DeliveryRow).next_attempt_at.getTime() - now.getTime();
      expect(waits).toBeGreaterThanOrEqual(wait * 0.8 - 1);
      expect(waits).toBeLessThanOrEqual(wait * 1.2 + 1_000);
      expect(await claimDeliveries(runtime, 1)).toEqual([]);
      // Past the breaker as well.
      runtime.clock.advance(Math.max(waits, 600_000));
    }
    const { started } = await startNext();
    expect(await record({ started, result: answered(500) })).toBe('exhausted');
    expect(await attempts()).toHaveLength(12);
  });

  it('honours Retry-After', async () => {
    await givenEvents(runtime, endpoint, 1);
    const { started } = await startNext();
    const before = runtime.clock.now().getTime();
    await record({ started, result: answered(503, '', { 'retry-after': '900' }) });
    const [delivery] = await deliveriesOf(runtime, endpoint.endpointId);
    expect((delivery as DeliveryRow).next_attempt_at.getTime()).toBeGreaterThanOrEqual(
      before + 900_000,
    );
  });

  it('says why there was no answer', async () => {
    await givenEvents(runtime, endpoint, 1);
    const { started } = await startNext();
    const detail = 'no complete answer within 5000 ms';
    await record({
      started,
      result: { kind: 'failure', reason: 'timeout', detail, elapsedMs: 5_000 },
    });
    expect(await attempts()).toMatchObject([{ status: null, outcome: 'timeout', detail }]);
  });

  it('lets a zombie change nothing', async () => {
    await givenEvents(runtime, endpoint, 1);
    const zombie = await startNext();
    await takeBack(true);
    const { started } = await startNext();
    expect(await begin(zombie.claim)).toBeUndefined();
    expect(await record({ started: zombie.started, result: answered(410) })).toBe('stale');
    expect(await record({ started: zombie.started, result: answered(200) })).toBe('stale');
    expect((await health()).active).toBe(true);
    expect(await attempts()).toEqual([]);
    expect(await record({ started, result: answered(200) })).toBe('delivered');
    expect(await record({ started, result: answered(200) })).toBe('stale');
    expect(await attempts()).toHaveLength(1);
  });

  it('takes the outcome of a delivery that was taken back and not yet claimed anew', async () => {
    await givenEvents(runtime, endpoint, 1);
    const { started } = await startNext();
    expect(await takeBack(true)).toBe(1);
    expect(await record({ started, result: answered(200) })).toBe('delivered');
    expect(await claimDeliveries(runtime, 1)).toEqual([]);
  });

  it('takes back only what is past its lease, unless Redis was wiped', async () => {
    await givenEvents(runtime, endpoint, 1);
    await startNext();
    expect(await takeBack(false)).toBe(0);
    runtime.clock.advance(runtime.config.outboxLeaseMs);
    expect(await takeBack(false)).toBe(1);
    expect((await claimDeliveries(runtime, 1))[0]?.epoch).toBe(2);
  });

  it('opens the breaker after ten failures and closes it with a successful probe', async () => {
    await givenEvents(runtime, endpoint, 12);
    for (let failed = 0; failed < 10; failed += 1) {
      const { started } = await startNext();
      await record({ started, result: answered(500) });
    }
    expect((await health()).open_until).not.toBeNull();
    expect(await claimDeliveries(runtime, 100)).toEqual([]);
    runtime.clock.advance(31_000);
    const { started } = await startNext();
    expect(await claimDeliveries(runtime, 100)).toEqual([]);
    await record({ started, result: answered(200) });
    expect(await health()).toMatchObject({ open_until: null, failing_since: null });
    expect(await claimDeliveries(runtime, 100)).toHaveLength(4);
  });

  it('disables an endpoint that says 410 and cancels what waits for it', async () => {
    await givenEvents(runtime, endpoint, 3);
    const { started } = await startNext();
    const underWay = await startNext();
    expect(await record({ started, result: answered(410) })).toBe('cancelled');
    expect(await health()).toMatchObject({ active: false, disabled_reason: 'gone' });
    expect(await record({ started: underWay.started, result: answered(500) })).toBe('cancelled');
    const states = (await deliveriesOf(runtime, endpoint.endpointId)).map((row) => row.state);
    expect(states).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  it('disables an endpoint after days of nothing but failure', async () => {
    await givenEvents(runtime, endpoint, 3);
    const first = await startNext();
    await record({ started: first.started, result: answered(500) });
    runtime.clock.advance(5 * DAY - 60_000);
    const second = await startNext();
    await record({ started: second.started, result: answered(500) });
    expect((await health()).active).toBe(true);
    runtime.clock.advance(120_000);
    const third = await startNext();
    await record({ started: third.started, result: answered(500) });
    expect(await health()).toMatchObject({ active: false, disabled_reason: 'failing' });
  });

  it('holds nothing against a new address that the old one said', async () => {
    await givenEvents(runtime, endpoint, 1);
    const { started } = await startNext();
    await registerEndpoint(runtime, endpoint, { url: `${URL}/new`, secret: SECRET });
    expect(await record({ started, result: answered(410) })).toBe('retry');
    expect(await health()).toMatchObject({ active: true, failing_since: null });
  });

  it('cancels what was scheduled while the endpoint was removed', async () => {
    await givenEvents(runtime, endpoint, 2);
    const { started } = await startNext();
    await removeEndpoint(runtime, endpoint);
    expect(await record({ started, result: answered(200) })).toBe('delivered');
    await runtime.db
      .knex('webhook_deliveries')
      .where('id', started.id)
      .update({ state: 'pending' });
    await takeBack(false);
    const states = (await deliveriesOf(runtime, endpoint.endpointId)).map((row) => row.state);
    expect(states).toEqual(['cancelled', 'cancelled']);
    expect((await health()).secret_ciphertext).toHaveLength(0);
  });

  /** The runtime at the end of the time that deliveries of now are kept, and `ms` later. */
  const afterKeep = (ms: number) => {
    const keptUntil = addMs(runtime.clock.now(), runtime.config.deliveryKeepDays * DAY + ms);
    return { ...runtime, clock: { now: () => keptUntil } };
  };

  it('prunes deliveries that ended before a time, and no other', async () => {
    await givenEvents(runtime, endpoint, 2);
    const { started } = await startNext();
    await record({ started, result: answered(200) });
    expect(await pruneDeliveries(afterKeep(-SECOND), 10)).toBe(0);
    expect(await pruneDeliveries(afterKeep(SECOND), 10)).toBe(1);
    expect(await deliveriesOf(runtime, endpoint.endpointId)).toMatchObject([{ state: 'pending' }]);
    expect(await attempts()).toEqual([]);
  });

  it('prunes a ping with its last delivery; what is in the history stays', async () => {
    const end = async () => record({ ...(await startNext()), result: answered(200) });
    await givenEvents(runtime, endpoint, 1);
    await end();
    const delivery = await sendPing(runtime, endpoint);
    await end();
    const resent = await resendDelivery(runtime, endpoint, delivery);
    const pings = async () =>
      (await runtime.db.knex('events').where({ type: 'webhook.ping' })).length;
    expect(await pruneDeliveries(afterKeep(SECOND), 10)).toBe(2);
    expect(await pings()).toBe(1);
    await end();
    expect(await pruneDeliveries(afterKeep(SECOND), 10)).toBe(1);
    expect([resent, await pings()]).toEqual([expect.any(String), 0]);
    expect(await runtime.db.knex('events')).toHaveLength(1);
  });
});
