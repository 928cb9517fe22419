import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY } from '../../../shared/platform/clock.ts';
import type { Environment } from '../../../shared/platform/config/config.ts';
import { approveOrder } from '../../../shared/sales/orders/manual-review.ts';
import { confirmDelivery } from '../../../shared/sales/transfers/deliver-domain.ts';
import { startTransfer } from '../../../shared/sales/transfers/start-transfer.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { givenListing } from '../../support/factories.ts';
import { PROMPT } from '../../support/quick-fleet.ts';
import { REGISTRANT } from '../../support/registrants.ts';
import { sell } from '../../support/sales.ts';
import { takeBack } from '../../support/take-back.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ ...PROMPT, MAIL: 'on', TRANSFER_POLICY_LIVE: 'automatic' });
});
afterAll(() => app.stop());

/** A recorded order, without a registrant unless one is given. */
async function order(
  environment: Environment,
  { registrant, domain }: { registrant?: object; domain?: string } = {},
) {
  const { client } = await app.partner({ environment });
  const listing = await givenListing(app.runtime, { environment, ...(domain && { domain }) });
  const more = { registrant };
  const { body } = await sell(client, listing, { more }).expect(201);
  const path = `/v1/orders/${body.public_id}`;
  return {
    client,
    id: body.public_id as string,
    recorded: body,
    path,
    put: (given: object = REGISTRANT) => client.put(`${path}/registrant`, { body: given }),
    read: async () => (await client.get(path).expect(200)).body,
  };
}
/** The emails about an order, by kind and recipient. */
const mailsOf = async (id: string): Promise<string[]> => {
  const rows = await app.runtime.db
    .knex('mails')
    .whereLike('cause', `%${id}%`)
    .orderBy('created_at')
    .select('kind', 'cause');
  return rows.map(({ kind, cause }) => `${kind} ${cause.split(':').at(-1)}`);
};
const jobsOf = (id: string): Promise<string[]> =>
  app.runtime.db
    .knex('outbox')
    .whereRaw("payload->>'orderId' = ?", id)
    .orderBy('run_at')
    .pluck('name');
const start = (id: string) => app.runtime.db.transact((uow) => startTransfer(uow, id));

describe('an order without a registrant', () => {
  it('requires one in LIVE, shown in the API, the timeline, the events and the emails', async () => {
    const { client, recorded, read, id } = await order('LIVE');
    expect(recorded).toMatchObject({
      status: 'EXTERNALLY_PAID',
      action_required: 'registrant_required',
    });
    const { action_required, timeline, transfer } = await read();
    expect([action_required, transfer]).toEqual(['registrant_required', null]);
    expect(timeline).toMatchObject([
      { event: 'order.recorded' },
      { event: 'order.action_required', note: 'registrant_required' },
    ]);
    const { body } = await client.get('/v1/events');
    expect(body.events).toMatchObject([
      { type: 'order.recorded' },
      {
        type: 'order.action_required',
        data: { order: { public_id: id }, action_required: 'registrant_required' },
      },
    ]);
    const { body: list } = await client.get('/v1/orders');
    expect(list.orders).toMatchObject([{ action_required: 'registrant_required' }]);
    expect(await mailsOf(id)).toContain('registrant-required 0');
    expect(await jobsOf(id)).toEqual(['remind-registrant']);
  });

  it('cannot be transferred by staff', async () => {
    const { id, put } = await order('LIVE');
    await expect(start(id)).rejects.toMatchObject({
      code: 'conflict',
      details: { reason: 'registrant_required' },
    });
    await put().expect(200);
    expect(await start(id)).toMatchObject({ status: 'TRANSFER_IN_PROGRESS' });
  });

  it.each([
    ['SANDBOX', 'listing-that-waits-for-nothing.com', null],
    ['SANDBOX', 'registrant-oak.com', 'registrant_required'],
    ['LIVE', 'listing-that-waits.com', 'registrant_required'],
  ] as const)(
    'has the right action_required in %s for %s: %s',
    async (environment, domain, action) => {
      const { recorded, id } = await order(environment, { domain });
      expect(recorded.action_required).toBe(action);
      expect(await jobsOf(id)).toEqual([action ? 'remind-registrant' : 'start-transfer']);
    },
  );

  it('requires no action once it is reversed', async () => {
    const { id, read } = await order('LIVE');
    await takeBack(app.runtime, id);
    expect((await read()).action_required).toBeNull();
  });
});

describe('the registrant of an order', () => {
  it('can be sent with the order: then the transfer starts right away', async () => {
    const { recorded, id } = await order('LIVE', { registrant: REGISTRANT });
    expect(recorded.action_required).toBeNull();
    expect(await jobsOf(id)).toEqual(['start-transfer']);
    expect(await mailsOf(id)).toEqual([]);
  });

  it('can be set later, which starts the transfer, and can be changed until then', async () => {
    const { put, id, read } = await order('LIVE');
    expect((await put().expect(200)).body.action_required).toBeNull();
    await put({ ...REGISTRANT, city: 'Hamburg' }).expect(200);
    expect(await jobsOf(id)).toEqual(['start-transfer', 'remind-registrant']);
    expect((await read()).action_required).toBeNull();
  });

  it('is encrypted in the database', async () => {
    const { id } = await order('LIVE', { registrant: REGISTRANT });
    const [{ sealed }] = await app.runtime.db.knex('order_registrants').where({ order_id: id });
    expect(sealed.toString('latin1')).not.toContain('Lindenallee');
  });

  it.each([
    ['/postal_code', { ...REGISTRANT, postal_code: 'SW1A 1AA' }],
    ['/phone', { ...REGISTRANT, phone: '+49' }],
    ['/extra/shoe', { ...REGISTRANT, extra: { shoe: '43' } }],
  ])('is rejected with an invalid %s, which the error names', async (path, registrant) => {
    const { put, client } = await order('LIVE');
    const { body } = await put(registrant).expect(400);
    expect(body.error).toMatchObject({ code: 'validation_error', details: [{ path }] });
    const listing = await givenListing(app.runtime, { environment: 'LIVE' });
    const refused = await sell(client, listing, { more: { registrant } }).expect(400);
    expect(refused.body.error.details).toMatchObject([{ path: `/registrant${path}` }]);
  });

  it('returns 404 for another partner’s order', async () => {
    const { path } = await order('LIVE');
    const { client } = await app.partner({ environment: 'LIVE' });
    await client.put(`${path}/registrant`, { body: REGISTRANT }).expect(404);
  });

  it('cannot be changed once the domain is delivered', async () => {
    const { id, put } = await order('LIVE', { registrant: REGISTRANT });
    await start(id);
    await put().expect(200);
    await app.runtime.db.transact((uow) => confirmDelivery(uow, id));
    const { body } = await put().expect(409);
    expect(body.error.details).toEqual({ reason: 'invalid_state' });
  });

  it('starts the transfer of an order in review once the review is approved', async () => {
    const { id, put } = await order('SANDBOX', { domain: 'hold-registrant.com' });
    await put().expect(200);
    expect(await jobsOf(id)).toEqual([]);
    await app.runtime.db.transact((uow) => approveOrder(uow, app.runtime, id));
    expect(await jobsOf(id)).toEqual(['start-transfer']);
  });
});

describe('registrant reminders', () => {
  it('are sent after two and seven days, until the registrant is known', async () => {
    const waiting = await order('LIVE');
    const told = await order('LIVE');
    await told.put().expect(200);
    const fleet = startWorkers(app.runtime, { queues: ['transfers'] });
    try {
      const untilReminded = (reminder: number) =>
        eventually(
          () => mailsOf(waiting.id),
          (mails) => mails.includes(`registrant-required ${reminder}`),
        );
      app.runtime.clock.advance(2 * DAY);
      await untilReminded(1);
      app.runtime.clock.advance(5 * DAY);
      await untilReminded(2);
      await eventually(
        () =>
          app.runtime.db
            .knex('outbox')
            .where({ name: 'remind-registrant' })
            .whereNot({ state: 'done' }),
        (rows) => rows.length === 0,
      );
      expect(await mailsOf(told.id)).not.toContain('registrant-required 1');
    } finally {
      await fleet.stop();
    }
  });
});
