import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EventType } from '../../../shared/messaging/event-types/event.ts';
import { sendPing } from '../../../shared/messaging/events/pings.ts';
import type { EndpointOwner } from '../../../shared/messaging/webhooks/endpoint.ts';
import { resendEvent } from '../../../shared/messaging/webhooks/requested-deliveries.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { exampleEvent } from '../../support/events.ts';
import { givenPartner } from '../../support/factories.ts';
import { createTestRuntime, type Runtime } from '../../support/runtime.ts';

let runtime: Runtime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

const givenOwner = async (): Promise<EndpointOwner> => {
  const { partnerId } = await givenPartner(runtime);
  return { partnerId, environment: 'SANDBOX' };
};

async function givenNamed(owner: EndpointOwner, name: string, columns = {}): Promise<string> {
  const now = runtime.clock.now();
  const id = newId('webhookEndpoint', now);
  await runtime.db.knex('webhook_endpoints').insert({
    id,
    partner_id: owner.partnerId,
    environment: owner.environment,
    name,
    url: `https://partner.example/${name}`,
    secret_ciphertext: Buffer.alloc(0),
    created_at: now,
    updated_at: now,
    ...columns,
  });
  return id;
}

const record = (owner: EndpointOwner, ...types: EventType[]) =>
  runtime.db.transact(async (uow) =>
    uow.events.add(owner, ...types.map((type) => exampleEvent(type, 'ord_1'))),
  );

const sentTo = async (endpointId: string) => {
  const rows = await runtime.db
    .knex('webhook_deliveries as d')
    .join('events as e', 'e.id', 'd.event_id')
    .where('d.endpoint_id', endpointId)
    .orderBy('e.position')
    .select('e.type');
  return rows.map((row: { type: string }) => row.type);
};

describe('an event', () => {
  it('goes once to every endpoint that subscribes to its type', async () => {
    const owner = await givenOwner();
    const all = await givenNamed(owner, 'default');
    const orders = await givenNamed(owner, 'orders', { event_types: ['order.*'] });
    const two = await givenNamed(owner, 'two', {
      event_types: ['transfer.completed', 'brokerage.case_completed'],
    });
    await record(owner, 'order.recorded', 'transfer.completed', 'transfer.initiated');
    expect(await sentTo(all)).toEqual([
      'order.recorded',
      'transfer.completed',
      'transfer.initiated',
    ]);
    expect(await sentTo(orders)).toEqual(['order.recorded']);
    expect(await sentTo(two)).toEqual(['transfer.completed']);
  });

  it('goes to an ordered endpoint with its subject and history position', async () => {
    const owner = await givenOwner();
    const ordered = await givenNamed(owner, 'ordered', {
      event_types: ['transfer.*'],
      ordering: 'per_subject',
    });
    await record(owner, 'order.recorded', 'transfer.initiated', 'transfer.completed');
    await record(owner, 'transfer.failed');
    const rows = await runtime.db
      .knex('webhook_deliveries as d')
      .join('events as e', 'e.id', 'd.event_id')
      .where('d.endpoint_id', ordered)
      .orderBy('d.position')
      .select('d.event_type', 'd.subject', 'd.position', {
        place: 'e.position',
        about: 'e.subject',
      });
    expect(rows.map(({ event_type }) => event_type)).toEqual([
      'transfer.initiated',
      'transfer.completed',
      'transfer.failed',
    ]);
    for (const { subject, position, place, about } of rows) {
      expect({ subject, position }).toEqual({ subject: about, position: place });
    }
  });

  it('skips endpoints that are off, removed, or of another partner or environment', async () => {
    const owner = await givenOwner();
    const off = await givenNamed(owner, 'off', { active: false, disabled_reason: 'gone' });
    const removed = await givenNamed(owner, 'gone', { active: false, disabled_reason: 'removed' });
    const live = await givenNamed({ ...owner, environment: 'LIVE' }, 'default');
    const other = await givenNamed(await givenOwner(), 'default');
    await record(owner, 'order.recorded');
    for (const id of [off, removed, live, other]) expect(await sentTo(id)).toEqual([]);
  });

  it('stores subject and position only for ordered endpoints', async () => {
    const owner = await givenOwner();
    await givenNamed(owner, 'free');
    const ordered = await givenNamed(owner, 'ordered', { ordering: 'per_subject' });
    await record(owner, 'order.recorded', 'order.transfer_started');
    const rows = await runtime.db
      .knex('webhook_deliveries')
      .where('partner_id', owner.partnerId)
      .whereNotNull('subject')
      .orderBy('position')
      .select('endpoint_id', 'subject', 'position');
    expect(rows).toEqual([
      { endpoint_id: ordered, subject: 'ord_1', position: 1 },
      { endpoint_id: ordered, subject: 'ord_1', position: 2 },
    ]);
  });

  it('is resent to endpoints subscribed to its type, a ping only to the given one', async () => {
    const owner = await givenOwner();
    const one = await givenNamed(owner, 'default', { event_types: ['order.*'] });
    const other = await givenNamed(owner, 'other', { event_types: ['transfer.*'] });
    await record(owner, 'order.recorded');
    const { id } = await runtime.db.knex('events').where('partner_id', owner.partnerId).first('id');
    expect(await resendEvent(runtime, owner, id)).toHaveLength(1);
    expect(await sentTo(one)).toEqual(['order.recorded', 'order.recorded']);
    await sendPing(runtime, owner, other);
    await sendPing(runtime, owner);
    expect(await sentTo(other)).toEqual(['webhook.ping']);
    expect(await sentTo(one)).toEqual(['order.recorded', 'order.recorded', 'webhook.ping']);
  });
});
