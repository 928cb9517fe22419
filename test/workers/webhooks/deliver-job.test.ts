import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AlreadyFinished } from '../../../shared/messaging/jobs/job.ts';
import {
  type DeliveryJob,
  deliverToEndpoint,
} from '../../../shared/messaging/webhooks/deliver-to-endpoint.ts';
import { registerEndpoint } from '../../../shared/messaging/webhooks/manage-endpoint.ts';
import { scheduleForgotten } from '../../../shared/messaging/webhooks/schedule-deliveries.ts';
import { addMs, SECOND } from '../../../shared/platform/clock.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import {
  countStates,
  deliveriesOf,
  givenEndpoint,
  givenEvents,
  jobOf,
  SECRET,
} from '../../support/webhooks.ts';

let runtime: TestRuntime;
let receiver: WebhookReceiver;
let endpoint: Awaited<ReturnType<typeof givenEndpoint>>;

beforeEach(async () => {
  receiver = await startWebhookReceiver();
  // No worker: the tests are the worker.
  runtime = await createTestRuntime({ WEBHOOK_TIMEOUT_MS: '50000', webhookMaxInFlight: 8 });
  endpoint = await givenEndpoint(runtime, receiver.url);
});
afterEach(async () => {
  await receiver.close();
  await runtime.stop();
});

/** The job of the endpoint as a worker begins it. */
async function begin(changes: Partial<DeliveryJob> = {}): Promise<DeliveryJob> {
  const { id, run_at: dueAt } = await jobOf(runtime, endpoint.endpointId);
  const begun = { state: 'dispatched', epoch: 1, attempts: 1 };
  await runtime.db.knex('outbox').where({ id }).update(begun);
  return {
    job: { outboxId: id, epoch: 1 },
    attempt: 1,
    dueAt,
    signal: new AbortController().signal,
    stopping: new AbortController().signal,
    tell: () => {},
    ...changes,
  };
}

const run = (job: DeliveryJob) => {
  const { endpointId, partnerId: partner, environment } = endpoint;
  return deliverToEndpoint(runtime, job, { endpoint: endpointId, partner, environment });
};

/** Whether the endpoint has a job; null when it has none. */
const jobLeft = () => jobOf(runtime, endpoint.endpointId).catch(() => null);

describe('the delivery job of an endpoint', () => {
  it('sends everything that is due, reports the result and leaves no job', async () => {
    await givenEvents(runtime, endpoint, 30);
    const { partnerId: partner, environment } = endpoint;
    expect(await run(await begin())).toEqual({
      endpoint: endpoint.endpointId,
      partner,
      environment,
      sent: 30,
      failed: 0,
      waiting: 0,
      last_answer: 'HTTP 200',
    });
    expect(await countStates(runtime)).toEqual({ delivered: 30 });
    expect(await jobLeft()).toBeNull();
  });

  it('schedules another job for the next retry', async () => {
    receiver.answer({ status: 503 });
    await givenEvents(runtime, endpoint, 2);
    const result = await run(await begin());
    const rows = await deliveriesOf(runtime, endpoint.endpointId);
    const first = Math.min(...rows.map((row) => row.next_attempt_at.getTime()));
    const next = await jobOf(runtime, endpoint.endpointId);
    expect(next).toMatchObject({ state: 'pending', run_at: new Date(first) });
    const next_try = new Date(first).toISOString();
    expect(result).toMatchObject({ failed: 2, waiting: 2, last_answer: 'HTTP 503', next_try });
  });

  it('schedules another job for when the circuit breaker can be probed', async () => {
    receiver.answer({ status: 500 });
    await givenEvents(runtime, endpoint, 12);
    await run(await begin());
    const { open_until: openUntil } = await runtime.db
      .knex('webhook_endpoints')
      .where({ id: endpoint.endpointId })
      .first();
    // The tenth failure opened it; two were never sent.
    expect(receiver.received).toHaveLength(10);
    expect(await jobOf(runtime, endpoint.endpointId)).toMatchObject({ run_at: openUntil });

    // One probe, and after it all that is due.
    runtime.clock.advance(openUntil.getTime() - runtime.clock.now().getTime() + 1);
    let mostWithProbe = 0;
    receiver.answer(() => {
      if (receiver.received.length === 11) mostWithProbe = receiver.underWay;
      return { status: 200 };
    });
    await run(await begin());
    expect(mostWithProbe).toBe(1);
    expect(await countStates(runtime)).toEqual({ delivered: 12 });
  });

  it('sends more in parallel while its endpoint is healthy, up to the limit', async () => {
    let underWay = 0;
    const most: number[] = [];
    const slow = createServer((_request, response) => {
      underWay += 1;
      most.push(underWay);
      // Longer than recording the answers takes: all that are sent at a time are under way together.
      setTimeout(() => {
        underWay -= 1;
        response.end();
      }, 50);
    });
    slow.listen(0, '127.0.0.1');
    await once(slow, 'listening');
    try {
      const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/hook`;
      await registerEndpoint(runtime, endpoint, { url, secret: SECRET });
      await givenEvents(runtime, endpoint, 200);
      await run(await begin());
      expect(Math.max(...most.slice(0, 4))).toBeLessThanOrEqual(4);
      expect(Math.max(...most)).toBe(8);
    } finally {
      slow.closeAllConnections();
      slow.close();
    }
  });

  it('sends one at a time while its endpoint fails', async () => {
    receiver.answer({ status: 404 });
    await runtime.db.knex('webhook_endpoints').update({ failing_since: runtime.clock.now() });
    await givenEvents(runtime, endpoint, 6);
    await run(await begin());
    expect(receiver.received).toHaveLength(6);
    expect(receiver.mostUnderWay).toBe(1);
  });

  it('retries at once and probes the breaker when ops start it early', async () => {
    await givenEvents(runtime, endpoint, 3);
    const later = addMs(runtime.clock.now(), 3_600 * SECOND);
    await runtime.db.knex('webhook_deliveries').update({ next_attempt_at: later, attempts: 1 });
    await runtime.db
      .knex('webhook_endpoints')
      .update({ open_until: later, failing_since: runtime.clock.now() });
    await run(await begin({ dueAt: later }));
    expect(await countStates(runtime)).toEqual({ delivered: 3 });
  });

  it('picks up deliveries scheduled while it runs', async () => {
    let letAnswer = () => {};
    const scheduled = new Promise<void>((resolve) => {
      letAnswer = resolve;
    });
    receiver.answer(() => scheduled.then(() => ({ status: 200 })));
    await givenEvents(runtime, endpoint, 1);
    const running = run(await begin());
    await receiver.waitFor(1);
    await givenEvents(runtime, endpoint, 20);
    runtime.deliveryPool.wake([endpoint.endpointId]);
    letAnswer();
    expect(await running).toMatchObject({ sent: 21, waiting: 0 });
  });

  it('sends nothing when another job has taken over', async () => {
    await givenEvents(runtime, endpoint, 3);
    const job = await begin();
    for (const changes of [{ epoch: 2 }, { epoch: 1, attempts: 2 }, { state: 'done' }]) {
      await runtime.db.knex('outbox').where({ id: job.job.outboxId }).update(changes);
      await expect(run(job)).rejects.toThrow(AlreadyFinished);
    }
    expect(receiver.received).toEqual([]);
    expect(await countStates(runtime)).toEqual({ pending: 3 });
  });

  it('returns deliveries in flight when it must stop, without counting an attempt', async () => {
    receiver.hang();
    await givenEvents(runtime, endpoint, 2);
    const abort = new AbortController();
    const running = run(await begin({ signal: abort.signal }));
    await receiver.waitFor(2);
    abort.abort(new Error('the process stops'));
    await expect(running).rejects.toThrow('the process stops');
    const rows = await deliveriesOf(runtime, endpoint.endpointId);
    expect(rows).toMatchObject([
      { state: 'pending', attempts: 0 },
      { state: 'pending', attempts: 0 },
    ]);
    // It is still its job's.
    expect(await jobLeft()).toMatchObject({ state: 'dispatched' });
  });

  it('cancels the deliveries of a disabled endpoint', async () => {
    await givenEvents(runtime, endpoint, 2);
    await runtime.db.knex('webhook_endpoints').update({ active: false, disabled_reason: 'paused' });
    await run(await begin());
    expect(receiver.received).toEqual([]);
    expect(await countStates(runtime)).toEqual({ cancelled: 2 });
    expect(await jobLeft()).toBeNull();
  });

  it('leaves a job for deliveries scheduled while it ends', async () => {
    const stopping = AbortSignal.abort();
    await givenEvents(runtime, endpoint, 1);
    for (let round = 0; round < 30; round += 1) {
      const job = await begin({ stopping });
      await Promise.all([run(job), givenEvents(runtime, endpoint, 1)]);
      const next = await jobOf(runtime, endpoint.endpointId);
      expect(next.id).not.toBe(job.job.outboxId);
      expect(next.state).toBe('pending');
      expect(next.run_at.getTime()).toBeLessThanOrEqual(runtime.clock.now().getTime());
    }
    expect(await countStates(runtime)).toEqual({ pending: 31 });
  });

  it('is created again for an endpoint that lost its job', async () => {
    await givenEvents(runtime, endpoint, 2);
    expect(await scheduleForgotten(runtime)).toBe(0);
    const { id } = await jobOf(runtime, endpoint.endpointId);
    await runtime.db.knex('job_keys').delete();
    expect(await scheduleForgotten(runtime)).toBe(1);
    expect((await jobOf(runtime, endpoint.endpointId)).id).not.toBe(id);
    expect(await scheduleForgotten(runtime)).toBe(0);
  });
});

describe('a delayed delivery job', () => {
  /** A job that waits an hour for a retry. */
  async function givenWaiting() {
    receiver.answer({ status: 503, headers: { 'retry-after': '3600' } });
    await givenEvents(runtime, endpoint, 1);
    await run(await begin());
    const job = await jobOf(runtime, endpoint.endpointId);
    expect(job.run_at.getTime()).toBeGreaterThan(runtime.clock.now().getTime() + 3_000 * SECOND);
    return job;
  }
  const isDue = async () => {
    const { run_at: runAt } = await jobOf(runtime, endpoint.endpointId);
    return runAt <= runtime.clock.now();
  };

  it('is due at once when a new delivery is scheduled', async () => {
    const { id } = await givenWaiting();
    await givenEvents(runtime, endpoint, 1);
    expect(await isDue()).toBe(true);
    expect((await jobOf(runtime, endpoint.endpointId)).id).toBe(id);
  });

  it('stays delayed while the circuit breaker is open', async () => {
    const { run_at: runAt } = await givenWaiting();
    await runtime.db.knex('webhook_endpoints').update({ open_until: runAt });
    await givenEvents(runtime, endpoint, 1);
    expect(await isDue()).toBe(false);
  });

  it('is due at once when its partner updates the endpoint', async () => {
    await givenWaiting();
    await registerEndpoint(runtime, endpoint, { url: `${receiver.url}/new`, secret: SECRET });
    expect(await isDue()).toBe(true);
  });
});
