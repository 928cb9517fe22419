import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { PushState } from '../../../shared/domains/registrar/registrar.ts';
import type { UnitOfWork } from '../../../shared/messaging/unit-of-work/unit-of-work.ts';
import { ServiceError } from '../../../shared/platform/errors.ts';
import { approveOrder } from '../../../shared/sales/orders/manual-review.ts';
import { ORDER_MOVES, type OrderMove } from '../../../shared/sales/orders/order.ts';
import { getOrderDetail } from '../../../shared/sales/orders/read-orders.ts';
import {
  approveRefund,
  declineRefund,
  recordCancelPushResult,
} from '../../../shared/sales/refunds/pending-refund.ts';
import { type RefundInput, refundOrder } from '../../../shared/sales/refunds/refund-order.ts';
import { confirmDelivery } from '../../../shared/sales/transfers/deliver-domain.ts';
import { beginPush, recordPushState } from '../../../shared/sales/transfers/registrar-push.ts';
import { retryTransfer, startTransfer } from '../../../shared/sales/transfers/start-transfer.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { givenSale, type Sale, storyOf } from '../../support/transfers.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

type Command = (orderId: string) => Promise<unknown>;

const inTx =
  (work: (uow: UnitOfWork, orderId: string) => Promise<unknown>): Command =>
  (orderId) =>
    runtime.db.transact((uow) => work(uow, orderId));
const record = (attempt: number, state: PushState) =>
  inTx((uow, orderId) => recordPushState(uow, runtime, { orderId, attempt }, state));
const takeBack = (kind: RefundInput['kind']) =>
  inTx((uow, orderId) =>
    refundOrder(uow, { orderId, kind, reason: 'other', note: null, requestedBy: 'test' }),
  );

const stopAnswer = (answer: 'cancelled' | 'too_late' | 'unanswered') =>
  inTx((uow, orderId) => recordCancelPushResult(uow, orderId, answer));

const COMMANDS: Record<string, Command> = {
  clear: inTx((uow, orderId) => approveOrder(uow, runtime, orderId)),
  start: inTx((uow, orderId) => startTransfer(uow, orderId)),
  'begin 1': (orderId) => beginPush(runtime, { orderId, attempt: 1 }),
  'begin 2': (orderId) => beginPush(runtime, { orderId, attempt: 2 }),
  'pending 1': record(1, { status: 'pending' }),
  'action 1': record(1, { status: 'action_required', reason: 'unlock_domain' }),
  'completed 1': record(1, { status: 'completed' }),
  'failed 1': record(1, { status: 'failed', reason: 'registrar_rejected' }),
  'completed 2': record(2, { status: 'completed' }),
  confirm: inTx((uow, orderId) => confirmDelivery(uow, orderId)),
  retry: inTx((uow, orderId) => retryTransfer(uow, orderId)),
  refund: takeBack('refund'),
  cancel: takeBack('cancel'),
  'claw back': takeBack('claw_back'),
  'stop: cancelled': stopAnswer('cancelled'),
  'stop: too late': stopAnswer('too_late'),
  'stop: unanswered': stopAnswer('unanswered'),
  approve: inTx((uow, orderId) => approveRefund(uow, orderId)),
  decline: inTx((uow, orderId) => declineRefund(uow, orderId)),
};

/** The transfer states that are valid for each order status; null means no transfer. */
const FITS: Record<string, readonly (string | null)[]> = {
  MANUAL_REVIEW: [null],
  EXTERNALLY_PAID: [null],
  TRANSFER_IN_PROGRESS: [
    'queued',
    'pushing',
    'pending_registry',
    'action_required',
    'awaiting_confirmation',
    'failed',
  ],
  TRANSFER_COMPLETED: ['completed'],
  REFUNDED: [null, 'cancelled', 'completed'],
  CANCELLED: [null],
};

async function assertWhole(sale: Sale): Promise<void> {
  const story = await storyOf(runtime, sale);
  expect(story.timeline).toEqual(story.history);
  expect(FITS[story.status]).toContain(story.transfer?.status ?? null);
  const { timeline, refund, transfer } = await getOrderDetail(runtime, sale.caller, sale.order.id);
  const moves = Object.values(ORDER_MOVES) as OrderMove[];
  timeline.slice(1).forEach((entry, at) => {
    const from = timeline[at]?.status as (typeof sale.order)['status'];
    const legal = entry.event.startsWith('transfer.')
      ? entry.status === from
      : moves.some((move) => move.from.includes(from) && move.to === entry.status);
    expect({ from, to: entry.status, event: entry.event, legal }).toMatchObject({ legal: true });
  });
  const { rows } = await runtime.db.knex.raw(
    `select coalesce(sum(amount_cents) filter (where account = 'sales'), 0) as sales,
       (select count(*) from refunds where order_id = :id) as refunds
     from ledger_postings p join ledger_entries e on e.id = p.entry_id where e.order_id = :id`,
    { id: sale.order.id },
  );
  // A held refund also holds the order, and a refund that stopped the push always relists the domain.
  const held = transfer?.cancellation != null;
  expect(refund?.status === 'pending').toBe(held);
  if (held) expect(story.status).toBe('TRANSFER_IN_PROGRESS');
  const back = story.status === 'REFUNDED' || story.status === 'CANCELLED';
  expect(rows[0]).toEqual({ sales: back ? 0 : -485_000, refunds: back ? 1 : 0 });
}

it('any sequence of commands, even concurrent, leaves one consistent history', async () => {
  const names = Object.keys(COMMANDS);
  let sales = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }), {
        minLength: 3,
        maxLength: 14,
      }),
      async (held, rounds) => {
        sales += 1;
        const domain = `${held ? 'hold-' : ''}story${sales}.com`;
        const sale = await givenSale(runtime, { domain });
        for (const together of rounds) {
          const results = await Promise.allSettled(
            together.map((name) => COMMANDS[name]?.(sale.order.id)),
          );
          for (const result of results) {
            // A command may be refused, but it never breaks.
            if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(ServiceError);
          }
          await assertWhole(sale);
        }
      },
    ),
    {
      numRuns: 60,
      examples: [
        [
          false,
          [
            ['start'],
            ['begin 1'],
            ['action 1'],
            ['retry'],
            ['begin 2'],
            ['completed 2'],
            ['confirm'],
            ['claw back'],
          ],
        ],
        [
          false,
          [['start'], ['begin 1'], ['refund'], ['completed 1', 'stop: too late'], ['decline']],
        ],
        [false, [['start'], ['begin 1'], ['refund'], ['stop: unanswered'], ['stop: cancelled']]],
      ],
    },
  );
});
