import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readDeliveries } from '../../../shared/messaging/webhooks/delivery.store.ts';
import type { EndpointOwner } from '../../../shared/messaging/webhooks/endpoint.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { rowsReadBy, type Statement, statementsOf } from '../../support/statements.ts';
import { givenEndpoint, givenEvents } from '../../support/webhooks.ts';

const URL = 'http://127.0.0.1:9999/hook';
const ALL = {
  endpointId: null,
  eventId: null,
  eventType: null,
  status: null,
  fromId: null,
  before: null,
  limit: 25,
};

let runtime: TestRuntime;
let owner: EndpointOwner;
beforeEach(async () => {
  runtime = await createTestRuntime();
  owner = await givenEndpoint(runtime, URL);
  await givenEvents(runtime, owner, 1);
  // Many deliveries, of which only the newest one, of another endpoint, is pending.
  await runtime.db.knex.raw(
    `insert into webhook_deliveries (id, endpoint_id, partner_id, environment, event_id, event_type, state, attempts,
       next_attempt_at, created_at, finished_at)
     select left(id, 8) || n, endpoint_id, partner_id, environment, event_id, event_type, 'delivered', 1,
       next_attempt_at, created_at, created_at
     from webhook_deliveries, generate_series(10000, 29999) n`,
  );
  await runtime.db.knex.raw('analyze webhook_deliveries');
});
afterEach(() => runtime.stop());

describe('the delivery log', () => {
  it.each([
    ['an endpoint', { endpointId: 'whe_without_any' }],
    ['the pending status', { status: 'pending' as const }],
  ])('reads no unrelated rows when filtered by %s', async (_filter, page) => {
    const [statement] = await statementsOf(runtime, () =>
      readDeliveries(runtime.db.knex, owner, { ...ALL, ...page }),
    );
    expect(await rowsReadBy(runtime, statement as Statement, 'webhook_deliveries')).toBeLessThan(
      10,
    );
  });
});
