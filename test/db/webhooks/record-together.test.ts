import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  createAttemptStarter,
  type StartedAttempt,
} from '../../../shared/delivery/webhooks/begin-attempt.ts';
import {
  claimDeliveries,
  releaseDeliveries,
} from '../../../shared/delivery/webhooks/dispatch-deliveries.ts';
import { createAttemptRecorder } from '../../../shared/delivery/webhooks/record-attempt.ts';
import type { OutboundResult } from '../../../shared/platform/outbound/http-client.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { deliveriesOf, givenEndpoint, givenEvents } from '../../support/webhooks.ts';

let runtime: TestRuntime;
beforeEach(async () => {
  runtime = await createTestRuntime({ WEBHOOK_MAX_IN_FLIGHT: '16' });
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

/** An endpoint with so many attempts under way. */
async function givenAttempts(count: number) {
  const endpoint = await givenEndpoint(runtime, 'http://127.0.0.1:9999/hook');
  await givenEvents(runtime, endpoint, count);
  const begin = createAttemptStarter(runtime);
  const claims = await claimDeliveries(runtime, count);
  const started = await Promise.all(claims.map((claim) => begin(claim)));
  return {
    endpoint,
    started: started.filter((each): each is StartedAttempt => each !== undefined),
  };
}

const healthOf = (id: string) => runtime.db.knex('webhook_endpoints').where({ id }).first();

/** Records the first answer of an endpoint alone, and then all others at once. */
async function recordAtOnce(statuses: readonly number[]) {
  const { endpoint, started } = await givenAttempts(statuses.length);
  const record = createAttemptRecorder(runtime);
  const [first, ...others] = started.map(
    (each, at) => async () =>
      (await record({ started: each, result: answered(statuses[at] ?? 0) })).outcome,
  );
  return {
    endpoint,
    outcomes: [await first?.(), ...(await Promise.all(others.map((each) => each())))],
  };
}

it('of an endpoint that fails now and then: each outcome counts once, whoever shares its transaction', async () => {
  const statuses = [503, 200, 200, 503, 200, 200, 200, 500, 200, 200, 200, 200];
  const { endpoint, outcomes } = await recordAtOnce(statuses);
  expect(outcomes).toEqual(statuses.map((status) => (status === 200 ? 'delivered' : 'retry')));
  const { breaker, failing_since: failingSince } = await healthOf(endpoint.endpointId);
  expect(breaker.failures).toBe(3);
  expect(failingSince).toBeNull();
  expect(await runtime.db.knex('webhook_attempts')).toHaveLength(statuses.length);
  const states = (await deliveriesOf(runtime, endpoint.endpointId)).map(({ state }) => state);
  expect(states.filter((state) => state === 'pending')).toHaveLength(3);
});

it('waits for who holds the endpoint once, not once for each attempt', async () => {
  const { endpoint, started } = await givenAttempts(12);
  const { knex } = runtime.db;
  const statements: string[] = [];
  knex.on('query', ({ sql }: { sql: string }) => statements.push(sql));
  const record = createAttemptRecorder(runtime);
  const recordings: Promise<unknown>[] = [];
  await knex.transaction(async (holder) => {
    await holder('webhook_endpoints').where({ id: endpoint.endpointId }).forUpdate();
    for (const each of started) {
      recordings.push(record({ started: each, result: answered(503) }));
      await new Promise(setImmediate);
    }
  });
  await Promise.all(recordings);
  const locks = statements.filter((sql) =>
    /from webhook_endpoints where id = .* for no key/s.test(sql),
  );
  expect(locks.length).toBeLessThanOrEqual(2);
  expect(await knex('webhook_attempts')).toHaveLength(12);
});

it.each([
  [503, 'retry'],
  [200, 'delivered'],
])(
  'records a claim that was worked on twice once, and takes the second for stale: %i',
  async (status, outcome) => {
    const { started } = await givenAttempts(2);
    const record = createAttemptRecorder(runtime);
    const twice = [...started, ...started];
    const recorded = await Promise.all(
      twice.map((each) => record({ started: each, result: answered(status) })),
    );
    expect(recorded.map((each) => each.outcome)).toEqual([outcome, outcome, 'stale', 'stale']);
    expect(await runtime.db.knex('webhook_attempts')).toHaveLength(2);
  },
);

it('records the latest claim of a delivery, whichever ended first, and takes an older one for stale', async () => {
  const { endpoint, started } = await givenAttempts(1);
  await releaseDeliveries(runtime, started);
  const begin = createAttemptStarter(runtime);
  const claims = await claimDeliveries(runtime, 1);
  await givenEvents(runtime, endpoint, 1);
  const again = await Promise.all(claims.map((claim) => begin(claim)));
  const record = createAttemptRecorder(runtime);
  const recorded = await Promise.all(
    [...started, ...again].map(
      (each) => each && record({ started: each, result: answered(200) }, true),
    ),
  );
  expect(recorded.map((each) => each?.outcome)).toEqual(['stale', 'delivered']);
  expect(recorded.map((each) => each?.next !== undefined)).toEqual([false, true]);
  expect(await runtime.db.knex('webhook_attempts')).toHaveLength(1);
});

it('cancels what comes after the attempt that ended the endpoint', async () => {
  const { endpoint, outcomes } = await recordAtOnce([503, 410, 503, 200]);
  expect(outcomes).toEqual(['retry', 'cancelled', 'cancelled', 'delivered']);
  expect(await healthOf(endpoint.endpointId)).toMatchObject({ active: false });
  const states = (await deliveriesOf(runtime, endpoint.endpointId)).map(({ state }) => state);
  expect(states.sort()).toEqual(['cancelled', 'cancelled', 'cancelled', 'delivered']);
});
