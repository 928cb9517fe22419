import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Caller } from '../../people/partners/credential.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { conflict } from '../../platform/errors.ts';
import { approveOrder, clearanceOf } from '../../sales/orders/manual-review.ts';
import { lockOrderById } from '../../sales/orders/move-order.ts';
import {
  ORDER_MOVES,
  type Order,
  type OrderMove,
  type OrderMoveName,
  type OrderStatus,
} from '../../sales/orders/order.ts';
import { getOrder } from '../../sales/orders/read-orders.ts';
import { holdOrder } from '../../sales/orders/screen-order.ts';
import { refundOrder } from '../../sales/refunds/refund-order.ts';
import { confirmDelivery } from '../../sales/transfers/deliver-domain.ts';
import { startTransfer } from '../../sales/transfers/start-transfer.ts';
import { closePartnerPeriods } from '../../settlement/statements/close-statement.ts';

type Deps = { db: Database; clock: Clock; config: Config };

/**
 * Acts as ops for a partner that tests its integration: moves a sandbox order to `to` by the one legal move. SETTLED
 * closes a settlement of all of the partner's delivered sandbox orders at once.
 * @throws not_found, also for another partner's order; conflict (invalid_state) naming from and to
 */
export async function advanceOrder(
  runtime: Deps,
  caller: Caller,
  request: { orderId: string; to: OrderStatus },
): Promise<void> {
  const order = await getOrder(runtime, caller, request.orderId);
  if (request.to === 'SETTLED') return settleNow(runtime, order);
  await runtime.db.transactFor(caller.partnerId, async (uow) => {
    const locked = await lockOrderById(uow, order.id);
    await STEPS[moveTo(locked, request.to)]?.(uow, runtime, locked.id, caller);
  });
}

type Step = (uow: UnitOfWork, runtime: Deps, orderId: string, caller: Caller) => Promise<unknown>;

const refundStep =
  (kind: 'refund' | 'cancel' | 'claw_back'): Step =>
  (uow, _deps, orderId, caller) =>
    refundOrder(uow, {
      orderId,
      kind,
      reason: 'other',
      note: 'Moved by the sandbox helper',
      requestedBy: caller.keyId,
    });

/** The command for each move, except `settle`, which takes several transactions. */
const STEPS: Record<Exclude<OrderMoveName, 'settle'>, Step> & { settle?: never } = {
  clear: approveOrder,
  clear_paid: approveOrder,
  hold: (uow, _deps, orderId) => holdOrder(uow, orderId, 'sandbox_hold'),
  start_transfer: (uow, _deps, orderId) => startTransfer(uow, orderId),
  confirm_delivery: (uow, _deps, orderId) => confirmDelivery(uow, orderId),
  refund: refundStep('refund'),
  cancel: refundStep('cancel'),
  claw_back: refundStep('claw_back'),
};

/** The maximum clock difference between processes, normally a few milliseconds. */
const MOST_AHEAD_MS = 1_000;

async function settleNow(runtime: Deps, order: Order): Promise<void> {
  moveTo(order, 'SETTLED');
  // A worker's delivery time may be ahead of our clock, but a period must not end in the future.
  const deliveredAt = order.transferCompletedAt ?? runtime.clock.now();
  const aheadMs = deliveredAt.getTime() - runtime.clock.now().getTime();
  if (aheadMs > 0 && aheadMs <= MOST_AHEAD_MS) await sleep(aheadMs + 1);
  const { partnerId, environment } = order;
  await closePartnerPeriods(runtime, { partnerId, environment, until: runtime.clock.now() });
  const settled = await getOrder(runtime, order, order.id);
  // The scheduled settlement may also run in the sandbox.
  if (settled.status !== 'SETTLED') throw invalidMove(settled, 'SETTLED');
}

const CLEARANCES: ReadonlySet<OrderMoveName> = new Set(['clear', 'clear_paid']);

/** Returns the move from the order's status to `to`. @throws conflict (invalid_state) */
function moveTo(order: Order, to: OrderStatus): OrderMoveName {
  const moves = Object.entries(ORDER_MOVES) as [OrderMoveName, OrderMove][];
  const found = moves.find(
    ([name, move]) =>
      move.to === to &&
      move.from.includes(order.status) &&
      (!CLEARANCES.has(name) || name === clearanceOf(order)),
  );
  if (!found) throw invalidMove(order, to);
  return found[0];
}

function invalidMove(order: Order, to: OrderStatus) {
  return conflict(
    'invalid_state',
    `The order is ${order.status} and cannot become ${to} in one step.`,
  );
}
