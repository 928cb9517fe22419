import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  findRegistrant,
  recordRegistered,
} from '../../../shared/domains/domain-registrants/registered-for.ts';
import type { PushState } from '../../../shared/domains/registrar/registrar.ts';
import { listEvents } from '../../../shared/messaging/events/read-events.ts';
import type { Environment } from '../../../shared/platform/config/config.ts';
import {
  confirmDelivery,
  confirmDeliveryIfAwaited,
} from '../../../shared/sales/transfers/deliver-domain.ts';
import { findFailedTransfers } from '../../../shared/sales/transfers/failed-transfers.ts';
import { beginPush, recordPushState } from '../../../shared/sales/transfers/registrar-push.ts';
import {
  retryTransfer,
  startTransfer,
  startTransferIfPaid,
} from '../../../shared/sales/transfers/start-transfer.ts';
import { KEPT_REGISTRANT } from '../../support/registrants.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { takeBack } from '../../support/take-back.ts';
import { givenSale, type Sale, storyOf } from '../../support/transfers.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

const start = ({ order }: Sale) => runtime.db.transact((uow) => startTransfer(uow, order.id));
const confirm = ({ order }: Sale) => runtime.db.transact((uow) => confirmDelivery(uow, order.id));
const retry = ({ order }: Sale) => runtime.db.transact((uow) => retryTransfer(uow, order.id));
const begin = ({ order }: Sale, attempt = 1) => beginPush(runtime, { orderId: order.id, attempt });
const record = ({ order }: Sale, state: PushState, attempt = 1) =>
  runtime.db.transact((uow) =>
    recordPushState(uow, runtime, { orderId: order.id, attempt }, state),
  );

const jobsOf = ({ order }: Sale): Promise<string[]> =>
  runtime.db
    .knex('outbox')
    .whereRaw(`payload ->> 'orderId' = ?`, [order.id])
    .orderBy('id')
    .pluck('dedupe_key');

async function givenStarted(): Promise<Sale> {
  const sale = await givenSale(runtime);
  await start(sale);
  return sale;
}

describe('undoing a sale whose domain waits for its buyer', () => {
  it('keeps the registrant of the owner who sold it, if it was not registered for the buyer', async () => {
    const sale = await givenSale(runtime);
    const { id, environment, domain } = sale.order;
    await runtime.db.knex('orders').where({ id }).update({ delivery_method: 'partner_registrar' });
    await runtime.db.transact((uow) =>
      recordRegistered(uow, runtime, {
        environment,
        domain,
        registrant: KEPT_REGISTRANT,
        partnerId: null,
        orderId: null,
        knownAddresses: [],
        keepsHold: false,
      }),
    );
    await start(sale);
    await begin(sale);
    await record(sale, { status: 'completed' });
    expect(await takeBack(runtime, id)).toBe(true);
    expect(await storyOf(runtime, sale)).toMatchObject({ status: 'REFUNDED' });
    const delivery = await runtime.db.knex('deliveries').where({ order_id: id }).first();
    expect(delivery).toMatchObject({ method: 'partner_registrar', status: 'failed' });
    expect(await findRegistrant(runtime.db.knex, { environment, domain })).toBeDefined();
  });
});

async function givenPushing(): Promise<Sale> {
  const sale = await givenStarted();
  await begin(sale);
  return sale;
}

const invalidState = { code: 'conflict', details: { reason: 'invalid_state' } };

describe('starting a transfer', () => {
  it('moves the order, queues the transfer, and schedules its push', async () => {
    const sale = await givenStarted();
    expect(await storyOf(runtime, sale)).toMatchObject({
      status: 'TRANSFER_IN_PROGRESS',
      transfer: { status: 'queued', attempts: 0 },
      history: ['order.recorded', 'order.transfer_started'],
    });
    expect(await jobsOf(sale)).toContain(`push-transfer:${sale.order.id}:1`);
  });

  it('is refused the second time, naming both statuses', async () => {
    const sale = await givenStarted();
    await expect(start(sale)).rejects.toMatchObject({
      ...invalidState,
      message: expect.stringMatching(/is TRANSFER_IN_PROGRESS and cannot become TRANSFER_IN/),
    });
  });

  it('begins with its first push if it is automatic, once, however many jobs start it', async () => {
    const sale = await givenSale(runtime);
    const { id } = sale.order;
    const startAutomatically = () =>
      runtime.db.transact((uow) => startTransferIfPaid(uow, runtime.registrars, id));
    const started = await Promise.all(Array.from({ length: 8 }, startAutomatically));
    expect(new Set(started.map(({ transfer }) => transfer?.id)).size).toBe(1);
    expect(await storyOf(runtime, sale)).toMatchObject({
      transfer: { status: 'pushing', attempts: 1, registrar: 'sandbox' },
      history: ['order.recorded', 'order.transfer_started', 'transfer.initiated'],
    });
    expect(await begin(sale)).toMatchObject({ transfer: { attempts: 1 } });
  });

  it('is skipped by a late automatic start if the order has moved on', async () => {
    const sale = await givenStarted();
    await runtime.db.transact((uow) => startTransferIfPaid(uow, runtime.registrars, sale.order.id));
    expect((await storyOf(runtime, sale)).history).toHaveLength(2);
  });

  it('is refused for an unknown order', async () => {
    const unknown = runtime.db.transact((uow) =>
      startTransferIfPaid(uow, runtime.registrars, 'ord_none'),
    );
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a push', () => {
  it('is started once by concurrent workers', async () => {
    const sale = await givenStarted();
    const pushes = await Promise.all(Array.from({ length: 8 }, () => begin(sale)));
    expect(new Set(pushes.map((push) => push?.transfer.attempts))).toEqual(new Set([1]));
    expect((await storyOf(runtime, sale)).history.slice(2)).toEqual(['transfer.initiated']);
  });

  it('reports each registrar state once, in both history and timeline', async () => {
    const sale = await givenPushing();
    const asked: PushState = { status: 'action_required', reason: 'unlock_domain' };
    expect(await record(sale, { status: 'pending' })).toBe('open');
    expect(await record(sale, { status: 'pending' })).toBe('open');
    expect(await Promise.all(Array.from({ length: 5 }, () => record(sale, asked)))).toEqual(
      Array(5).fill('open'),
    );
    expect((await storyOf(runtime, sale)).transfer).toMatchObject({
      status: 'action_required',
      reason: 'unlock_domain',
    });
    expect(await record(sale, { status: 'pending' })).toBe('open');
    expect(await record(sale, { status: 'completed' })).toBe('ended');
    expect(await record(sale, { status: 'completed' })).toBe('ended');
    const story = await storyOf(runtime, sale);
    expect(story.transfer).toMatchObject({ status: 'awaiting_confirmation', reason: null });
    expect(story.history.slice(2)).toEqual([
      'transfer.initiated',
      'transfer.pending_registry',
      'transfer.action_required',
      'transfer.pending_registry',
    ]);
    expect(story.timeline).toEqual(story.history);
  });

  it('is confirmed by the worker after completion, under the automatic policy', async () => {
    const sale = await givenPushing();
    await record(sale, { status: 'completed' });
    expect(await jobsOf(sale)).toContain(`confirm-delivery:${sale.order.id}`);
  });

  it('waits for a person after completion, under the manual policy', async () => {
    const sale = await givenSale(runtime, { environment: 'LIVE' });
    await start(sale);
    await begin(sale);
    await record(sale, { status: 'completed' });
    expect(await jobsOf(sale)).toEqual([`push-transfer:${sale.order.id}:1`]);
  });

  it('gives the reason when it fails and leaves the order in progress', async () => {
    const sale = await givenPushing();
    expect(await record(sale, { status: 'failed', reason: 'registrar_rejected' })).toBe('ended');
    expect(await storyOf(runtime, sale)).toMatchObject({
      status: 'TRANSFER_IN_PROGRESS',
      transfer: { status: 'failed', reason: 'registrar_rejected' },
    });
    const { rows: events } = await listEvents(runtime, sale.caller, { afterId: null, limit: 100 });
    const { id, domain } = sale.order;
    expect(events.at(-1)).toMatchObject({ type: 'transfer.failed' });
    expect(events.at(-1)?.data).toEqual({
      order: {
        public_id: id,
        domain,
        status: 'TRANSFER_IN_PROGRESS',
        sale_price_cents: 485_000,
        currency: 'USD',
      },
      transfer: {
        id: expect.stringMatching(/^trf_/),
        status: 'failed',
        method: 'push',
        reason: 'registrar_rejected',
        occurred_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      },
    });
  });

  it('is found as failed only by its own partner in its own environment', async () => {
    const sale = await givenPushing();
    await record(sale, { status: 'failed', reason: 'registrar_rejected' });
    const { id, partnerId, environment } = sale.order;
    const other = await givenSale(runtime);
    const find = (by: { partnerId: string; environment: Environment }) =>
      findFailedTransfers(runtime, by, [id, other.order.id]);
    expect([...(await find({ partnerId, environment }))]).toEqual([id]);
    expect((await find(other.order)).size).toBe(0);
    expect((await find({ partnerId, environment: 'LIVE' })).size).toBe(0);
  });
});

describe('retrying a transfer', () => {
  it('makes the next push the only one that counts', async () => {
    const sale = await givenPushing();
    await record(sale, { status: 'failed', reason: 'registrar_rejected' });
    await retry(sale);
    expect(await jobsOf(sale)).toContain(`push-transfer:${sale.order.id}:2`);
    expect(await begin(sale, 1)).toBeUndefined();
    expect((await begin(sale, 2))?.transfer).toMatchObject({ status: 'pushing', attempts: 2 });
    expect(await record(sale, { status: 'completed' }, 1)).toBe('ended');
    expect((await storyOf(runtime, sale)).transfer?.status).toBe('pushing');
  });

  it('is refused without a push or while one is under way', async () => {
    await expect(retry(await givenPushing())).rejects.toMatchObject(invalidState);
    await expect(retry(await givenSale(runtime))).rejects.toMatchObject(invalidState);
  });
});

describe('confirming delivery', () => {
  const stages: Record<string, (sale: Sale) => Promise<unknown>> = {
    queued: async () => {},
    pushing: (sale) => begin(sale),
    pending_registry: async (sale) => {
      await begin(sale);
      await record(sale, { status: 'pending' });
    },
    action_required: async (sale) => {
      await begin(sale);
      await record(sale, { status: 'action_required', reason: 'unlock_domain' });
    },
    awaiting_confirmation: async (sale) => {
      await begin(sale);
      await record(sale, { status: 'completed' });
    },
  };

  it.each(Object.keys(stages))('lets ops complete a transfer that is %s', async (status) => {
    const sale = await givenStarted();
    await stages[status]?.(sale);
    expect((await storyOf(runtime, sale)).transfer?.status).toBe(status);
    const order = await confirm(sale);
    expect(order.transferCompletedAt).toEqual(order.updatedAt);
    const story = await storyOf(runtime, sale);
    expect(story).toMatchObject({
      status: 'TRANSFER_COMPLETED',
      transfer: { status: 'completed', reason: null },
    });
    expect(story.history.slice(-2)).toEqual(['transfer.completed', 'order.transfer_completed']);
    expect(story.timeline).toEqual(story.history);
  });

  it('is refused for a failed transfer', async () => {
    const sale = await givenPushing();
    await record(sale, { status: 'failed', reason: 'registrar_rejected' });
    await expect(confirm(sale)).rejects.toMatchObject(invalidState);
    expect((await storyOf(runtime, sale)).status).toBe('TRANSFER_IN_PROGRESS');
  });

  it('is refused before the start and the second time, naming the status', async () => {
    await expect(confirm(await givenSale(runtime))).rejects.toThrow(/is EXTERNALLY_PAID/);
    const sale = await givenStarted();
    await confirm(sale);
    await expect(confirm(sale)).rejects.toThrow(/is TRANSFER_COMPLETED and cannot/);
  });

  it('happens once when ten confirm at the same time', async () => {
    const sale = await givenStarted();
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => confirm(sale)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await storyOf(runtime, sale)).history).toHaveLength(4);
  });

  it('waits for the registrar under the automatic policy', async () => {
    const sale = await givenPushing();
    await runtime.db.transact((uow) => confirmDeliveryIfAwaited(uow, sale.order.id));
    expect((await storyOf(runtime, sale)).transfer?.status).toBe('pushing');
  });
});
