import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Registrar } from '../../../shared/domains/registrar/registrar.ts';
import { retryDeadJob } from '../../../shared/messaging/jobs/dead-jobs.ts';
import { HOUR } from '../../../shared/platform/clock.ts';
import {
  approveRefund,
  listRefundsToDecide,
  recordCancelPushResult,
} from '../../../shared/sales/refunds/pending-refund.ts';
import { refundOrder } from '../../../shared/sales/refunds/refund-order.ts';
import { retryTransfer } from '../../../shared/sales/transfers/start-transfer.ts';
import { eventually } from '../../support/eventually.ts';
import { gate } from '../../support/gate.ts';
import type { TestRuntime } from '../../support/runtime.ts';
import { takeBack } from '../../support/take-back.ts';
import { PUSH_MS, startTransferScene, type TransferScene } from '../../support/transfer-scene.ts';
import {
  givenSale,
  marketStatusOf,
  registrarStandIn,
  type Sale,
  type Story,
  sandboxPushes,
  storyOf,
} from '../../support/transfers.ts';

let scene: TransferScene;
let runtime: TestRuntime;

beforeEach(async () => {
  scene = await startTransferScene();
  ({ runtime } = scene);
});
afterEach(() => scene.stop());

const work = (registrar?: Registrar) => scene.work(registrar);
const until = (sale: Sale, accept: (story: Story) => boolean) => scene.until(sale, accept);
const untilTransferIs = (sale: Sale, status: string) => scene.untilTransferIs(sale, status);
const start = (sale: Sale) => scene.start(sale);
const retry = (sale: Sale) => scene.retry(sale);
const noJobsLeft = () => scene.noJobsLeft();
const refund = ({ order }: Sale) => takeBack(runtime, order.id, 'refund');

const cancellations = (): Promise<{ result: string }[]> =>
  runtime.db.knex('audit_log').where({ action: 'transfer:cancel-push' }).pluck('after');

describe('a refund during a push', () => {
  it('cancels the push at the registrar, refunds the order and relists the domain', async () => {
    work();
    const sale = await givenSale(runtime, { domain: 'slow-transfer-3.com' });
    await untilTransferIs(sale, 'pending_registry');
    await refund(sale);
    await until(sale, ({ status }) => status === 'REFUNDED');
    await noJobsLeft();
    expect(await sandboxPushes(runtime)).toMatchObject([{ status: 'cancelled' }]);
    const story = await storyOf(runtime, sale);
    expect(story.transfer?.status).toBe('cancelled');
    expect(story.history.slice(-2)).toEqual(['transfer.cancelled', 'order.refunded']);
    expect(await marketStatusOf(runtime, sale)).toBe('listed');
    expect(await cancellations()).toMatchObject([{ result: 'cancelled' }]);
  });

  it('leaves no open push when it arrives between the request and the registrar’s answer', async () => {
    const [asked, answered] = [gate(), gate()];
    const registrar = registrarStandIn(async () => {
      asked.open();
      await answered.opened;
      return { status: 'failed', reason: 'cancelled' };
    });
    work(registrar);
    const sale = await givenSale(runtime);
    await asked.opened;
    await refund(sale);
    await until(sale, ({ status }) => status === 'REFUNDED');
    answered.open();
    await noJobsLeft();
    expect(new Set(registrar.cancels)).toEqual(
      new Set(registrar.pushes.map((push) => push.clientReference)),
    );
    const story = await storyOf(runtime, sale);
    expect(story).toMatchObject({ status: 'REFUNDED', transfer: { status: 'cancelled' } });
    expect(story.history).not.toContain('transfer.failed');
  });

  it('is held for staff and never confirmed automatically when it is too late', async () => {
    const registrar = registrarStandIn({ status: 'pending' });
    registrar.cancelAnswer = 'too_late';
    work(registrar);
    const sale = await givenSale(runtime);
    await untilTransferIs(sale, 'pending_registry');
    await refund(sale);
    const held = await untilTransferIs(sale, 'awaiting_confirmation');
    await noJobsLeft();
    expect(held.status).toBe('TRANSFER_IN_PROGRESS');
    expect(held.history).not.toContain('order.refunded');
    expect(await cancellations()).toMatchObject([{ registrar: 'stand-in', result: 'too_late' }]);
    expect(await listRefundsToDecide(runtime, 10)).toMatchObject([{ cause: 'too_late' }]);
  });

  it('is held for staff when the push completes before the cancellation arrives', async () => {
    const registrar = runtime.registrars('SANDBOX');
    const [reached, resume] = [gate(), gate()];
    work({
      ...registrar,
      async cancel(reference) {
        reached.open();
        await resume.opened;
        return registrar.cancel(reference);
      },
    });
    const sale = await givenSale(runtime, { domain: 'slow-transfer-4.com' });
    await untilTransferIs(sale, 'pending_registry');
    await refund(sale);
    await reached.opened;
    runtime.clock.advance(PUSH_MS);
    resume.open();
    await untilTransferIs(sale, 'awaiting_confirmation');
    expect(await listRefundsToDecide(runtime, 10)).toMatchObject([{ cause: 'too_late' }]);
    expect(await sandboxPushes(runtime)).toMatchObject([{ status: 'completed' }]);
  });

  it('is completed when the worker dies before recording the registrar’s answer', async () => {
    const registrar = registrarStandIn({ status: 'pending' });
    const answer = registrar.cancel;
    registrar.cancel = async (reference) => {
      const said = await answer(reference);
      // The first answer is lost on its way.
      if (registrar.cancels.length === 1) throw new Error('connection reset');
      return said;
    };
    work(registrar);
    const sale = await givenSale(runtime);
    await untilTransferIs(sale, 'pending_registry');
    await refund(sale);
    await until(sale, ({ status }) => status === 'REFUNDED');
    await noJobsLeft();
    expect(registrar.cancels).toHaveLength(2);
    expect((await storyOf(runtime, sale)).history.slice(-2)).toEqual([
      'transfer.cancelled',
      'order.refunded',
    ]);
  });

  it('waits for staff while the registrar is down and completes when its job is retried', async () => {
    const registrar = registrarStandIn({ status: 'pending' });
    const answer = registrar.cancel;
    const sale = await givenSale(runtime, { environment: 'LIVE' });
    await start(sale);
    work(registrar);
    await untilTransferIs(sale, 'pending_registry');
    registrar.cancel = async () => {
      throw new Error('connection reset');
    };
    await refund(sale);
    const dead = () =>
      runtime.db.knex('outbox').where({ name: 'stop-push', state: 'dead' }).pluck('id');
    const [job] = await eventually(
      async () => {
        runtime.clock.advance(HOUR);
        return dead();
      },
      (ids) => ids.length === 1,
    );
    expect(await listRefundsToDecide(runtime, 10)).toMatchObject([{ cause: 'unanswered' }]);
    registrar.cancel = answer;
    await retryDeadJob(runtime, job);
    await until(sale, ({ status }) => status === 'REFUNDED');
    expect(await listRefundsToDecide(runtime, 10)).toEqual([]);
  });

  it('still stops the push when staff approve it without an answer, and records if it was too late', async () => {
    const registrar = registrarStandIn({ status: 'pending' });
    const sale = await givenSale(runtime, { environment: 'LIVE' });
    await start(sale);
    const fleet = work(registrar);
    await untilTransferIs(sale, 'pending_registry');
    await fleet.stop();
    await refund(sale);
    await runtime.db.transact((uow) => recordCancelPushResult(uow, sale.order.id, 'unanswered'));
    // The first request was given up.
    await runtime.db.knex('outbox').where({ name: 'stop-push' }).update({ state: 'dead' });
    await runtime.db.transact((uow) => approveRefund(uow, sale.order.id));
    expect(registrar.cancels).toEqual([]);
    registrar.cancel = async (reference) => {
      registrar.cancels.push(reference);
      return 'too_late';
    };
    work(registrar);
    await eventually(
      () => runtime.db.knex('outbox').where({ name: 'stop-push', state: 'dead' }).pluck('id'),
      (ids) => ids.length === 2,
    );
    expect(registrar.cancels).toEqual([registrar.pushes[0]?.clientReference]);
    expect(await cancellations()).toMatchObject([{ result: 'too_late' }]);
    expect((await storyOf(runtime, sale)).status).toBe('REFUNDED');
  });

  it('cancels the push that is open now, even when an older request is retried', async () => {
    const registrar = registrarStandIn({ status: 'action_required', reason: 'unlock_domain' });
    const sale = await givenSale(runtime, { environment: 'LIVE' });
    await start(sale);
    const fleet = work(registrar);
    await untilTransferIs(sale, 'action_required');
    await retry(sale);
    await eventually(
      async () => registrar.pushes.length,
      (pushes) => pushes === 2,
    );
    await untilTransferIs(sale, 'action_required');
    await fleet.stop();
    await refund(sale);
    const request = { name: 'stop-push' };
    // As one that was given up before the second push.
    await runtime.db
      .knex('outbox')
      .where(request)
      .update({ payload: { orderId: sale.order.id, attempt: 1 } });
    const before = registrar.cancels.length;
    work(registrar);
    await until(sale, ({ status }) => status === 'REFUNDED');
    expect(registrar.cancels.slice(before)).toEqual(
      registrar.pushes.map(({ clientReference }) => clientReference).reverse(),
    );
  });

  it('cancels the first push, too, after a retry started a second one', async () => {
    const registrar = registrarStandIn({ status: 'action_required', reason: 'unlock_domain' });
    work(registrar);
    const sale = await givenSale(runtime, { environment: 'LIVE' });
    await start(sale);
    await untilTransferIs(sale, 'action_required');
    await runtime.db.transact(async (uow) => {
      await retryTransfer(uow, sale.order.id);
      // Before the worker can take the second push.
      await refundOrder(uow, {
        orderId: sale.order.id,
        kind: 'by_state',
        reason: 'other',
        note: null,
        requestedBy: 'test',
      });
    });
    await until(sale, ({ status }) => status === 'REFUNDED');
    await noJobsLeft();
    expect(registrar.pushes).toHaveLength(1);
    expect(registrar.cancels).toEqual([registrar.pushes[0]?.clientReference]);
  });
});
