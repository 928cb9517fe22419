import { Type } from 'typebox';
import type { UnitOfWork } from '../../../shared/messaging/unit-of-work/unit-of-work.ts';
import { withAuditTrail } from '../../../shared/people/audit/audit-log.ts';
import { approveOrder, listReviewQueue } from '../../../shared/sales/orders/manual-review.ts';
import { lockOrderById } from '../../../shared/sales/orders/move-order.ts';
import type { Order } from '../../../shared/sales/orders/order.ts';
import { getOrderById, getOrderDetail } from '../../../shared/sales/orders/read-orders.ts';
import {
  approveRefund,
  declineRefund,
  listRefundsToDecide,
} from '../../../shared/sales/refunds/pending-refund.ts';
import { REFUND_REASONS, type RefundKind } from '../../../shared/sales/refunds/refund.ts';
import { refundOrder } from '../../../shared/sales/refunds/refund-order.ts';
import { checkAuthCode } from '../../../shared/sales/transfers/check-auth-code.ts';
import { confirmDelivery, reopenClaim } from '../../../shared/sales/transfers/deliver-domain.ts';
import {
  listTickedChecks,
  MANUAL_CHECK_NAMES,
  tickChecks,
} from '../../../shared/sales/transfers/manual-checks.ts';
import { retryTransfer, startTransfer } from '../../../shared/sales/transfers/start-transfer.ts';
import { ANY_TEXT } from '../../http/validate.ts';
import { orderDetailView, orderView } from '../../partner/order-schemas.ts';
import {
  type ActionOf,
  authCodeField,
  DANGEROUS,
  DEFAULT_LIMIT,
  EVERYONE,
  HARMLESS,
  limitField,
  OPERATIONS,
  type OpsContext,
  opsAction,
  REFUNDS,
  route,
} from '../ops-action.ts';

const ByOrder = Type.Object({ order: Type.String({ description: 'Order ID (ord_...).' }) });

const RefundInput = Type.Object({
  ...ByOrder.properties,
  reason: Type.Optional(
    Type.Enum([...REFUND_REASONS], { description: 'Why. Defaults to "other".' }),
  ),
  note: Type.Optional(
    Type.String({ maxLength: 500, ...ANY_TEXT, description: 'A note for the record.' }),
  ),
});

/** Defines an action that moves one order and returns it. */
function orderAction(
  name: string,
  summary: string,
  move: (uow: UnitOfWork, orderId: string, context: OpsContext) => Promise<Order>,
): ActionOf<typeof ByOrder> {
  return opsAction({
    name,
    summary,
    input: ByOrder,
    run: async (context, { order }) =>
      opsOrderView(await moveAudited(context, name, order, (uow) => move(uow, order, context))),
  });
}

export const orderClear = orderAction(
  'order:clear',
  'Approve an order in manual review',
  (uow, orderId, context) => approveOrder(uow, context, orderId),
);

export const orderStartTransfer = orderAction(
  'order:start-transfer',
  "Start the transfer of a paid order's domain to the partner's registrar",
  startTransfer,
);

export const orderConfirmDelivery = orderAction(
  'order:confirm-delivery',
  'Confirm that the domain was delivered; the settlement clock starts',
  confirmDelivery,
);

export const orderRetryTransfer = orderAction(
  'order:retry-transfer',
  'Retry a failed or stuck transfer',
  retryTransfer,
);

export const orderReopenClaim = orderAction(
  'order:reopen-claim',
  'Send the buyer a new link to claim the domain; the previous link stops working',
  reopenClaim,
);

export const orderCheck = opsAction({
  name: 'order:check',
  summary: 'Check or uncheck the steps of a manual delivery',
  input: Type.Object({
    ...ByOrder.properties,
    checks: Type.Array(Type.Enum([...MANUAL_CHECK_NAMES]), {
      minItems: 1,
      description: `The steps: any of ${MANUAL_CHECK_NAMES.join(', ')}.`,
    }),
    undo: Type.Optional(Type.Boolean({ description: 'Uncheck them instead.' })),
  }),
  async run(context, { order: orderId, checks: names, undo = false }) {
    const order = await context.db.transact((uow) =>
      tickChecks(uow, context, { orderId, names, undo }),
    );
    const ticked = await listTickedChecks(context, orderId);
    return {
      public_id: order.id,
      checks: ticked.map(({ name, by, at }) => ({ name, by, at: at.toISOString() })),
    };
  },
});

export const orderCheckCode = opsAction({
  name: 'order:check-code',
  summary: 'Check whether an authorization code is the last one issued to the partner for an order',
  input: Type.Object({
    ...ByOrder.properties,
    auth_code: authCodeField('The code as you received it.'),
  }),
  async run({ db, actor }, { order: orderId, auth_code: authCode }) {
    const result = await db.transact((uow) => checkAuthCode(uow, actor, { orderId, authCode }));
    return { public_id: orderId, result };
  },
});

export const orderRefund = refundAction(
  'order:refund',
  'Refund an order once its transfer is stopped; after delivery this is a clawback in the next statement',
  'by_state',
);

export const orderCancel = refundAction(
  'order:cancel',
  'Cancel an order whose transfer has not started',
  'cancel',
);

/** Defines a refund action; for `by_state` the refund rules decide what a refund means in the order's state. */
function refundAction(
  name: string,
  summary: string,
  kind: RefundKind | 'by_state',
): ActionOf<typeof RefundInput> {
  return opsAction({
    name,
    summary,
    input: RefundInput,
    async run(context, { order: orderId, reason = 'other', note = null }) {
      const requestedBy = context.actor;
      const input = { orderId, kind, reason, note, requestedBy };
      const { order, refund } = await moveAudited(context, name, orderId, (uow) =>
        refundOrder(uow, input),
      );
      const status = refund.completedAt === null ? 'pending' : 'completed';
      return { ...opsOrderView(order), refund: { id: refund.id, status } };
    },
  });
}

const orderShow = opsAction({
  name: 'order:show',
  summary: 'Show an order with its timeline and its transfer',
  input: ByOrder,
  async run(context, { order: id }) {
    const order = await getOrderById(context, id);
    const detail = await getOrderDetail(context, order, id);
    return { ...orderDetailView(context, detail), partner_id: order.partnerId };
  },
});

const reviewQueue = opsAction({
  name: 'order:review-queue',
  summary: 'List the orders in manual review, oldest first',
  columns: ['public_id', 'domain', 'sale_price', 'review_reasons'],
  input: Type.Object({
    limit: limitField(),
  }),
  async run(context, { limit = DEFAULT_LIMIT }) {
    const orders = await listReviewQueue(context, limit);
    return {
      orders: orders.map((order) => ({
        ...opsOrderView(order),
        review_reasons: order.reviewReasons,
      })),
    };
  },
});

/** Moves the order in one transaction with an audit trail entry of the old and new state. */
async function moveAudited<T>(
  context: OpsContext,
  action: string,
  subject: string,
  move: (uow: UnitOfWork) => Promise<T>,
): Promise<T> {
  const db = withAuditTrail(context, {
    actor: context.actor,
    action,
    subject,
    snapshot: async (uow) => ({ status: (await lockOrderById(uow, subject)).status }),
  });
  return db.transact(move);
}

/** Returns an order as its partner sees it, with the partner. */
function opsOrderView(order: Order) {
  return { ...orderView(order), partner_id: order.partnerId };
}

const refundList = opsAction({
  name: 'refund:list',
  summary:
    'List the refunds awaiting a decision because the transfer could not be stopped, oldest first',
  columns: ['order_id', 'domain', 'cause', 'amount', 'waiting_since'],
  input: Type.Object({
    limit: limitField(),
  }),
  async run(context, { limit = DEFAULT_LIMIT }) {
    const refunds = await listRefundsToDecide(context, limit);
    return {
      refunds: refunds.map((refund) => ({
        id: refund.id,
        order_id: refund.orderId,
        domain: refund.domain,
        environment: refund.environment,
        partner_id: refund.partnerId,
        partner: refund.partnerName,
        cause: refund.cause,
        transfer_status: refund.transferStatus,
        amount_cents: refund.amount.amount,
        currency: refund.amount.currency,
        reason: refund.reason,
        note: refund.note,
        requested_by: refund.requestedBy,
        created_at: refund.createdAt,
        waiting_since: refund.since,
      })),
    };
  },
});

export const refundApprove = orderAction(
  'refund:approve',
  'Refund an order although its transfer could not be stopped; the domain stays off the market',
  approveRefund,
);

export const refundDecline = orderAction(
  'refund:decline',
  'Decline the refund of an order whose transfer could not be stopped, and deliver it',
  declineRefund,
);

export const orderRoutes = [
  route('GET', '/review-queue', 200, reviewQueue, EVERYONE, HARMLESS),
  route('GET', '/orders/:order', 200, orderShow, EVERYONE, HARMLESS),
  route('POST', '/orders/:order/clear', 200, orderClear, OPERATIONS, DANGEROUS),
  route('POST', '/orders/:order/cancel', 200, orderCancel, OPERATIONS, DANGEROUS),
  route('POST', '/orders/:order/start-transfer', 200, orderStartTransfer, OPERATIONS, DANGEROUS),
  route('POST', '/orders/:order/retry-transfer', 200, orderRetryTransfer, OPERATIONS, DANGEROUS),
  route('POST', '/orders/:order/checks', 200, orderCheck, OPERATIONS, HARMLESS),
  route('POST', '/orders/:order/check-code', 200, orderCheckCode, OPERATIONS, HARMLESS),
  route('POST', '/orders/:order/reopen-claim', 200, orderReopenClaim, OPERATIONS, DANGEROUS),
  route(
    'POST',
    '/orders/:order/confirm-delivery',
    200,
    orderConfirmDelivery,
    OPERATIONS,
    DANGEROUS,
  ),
  route('POST', '/orders/:order/refund', 200, orderRefund, REFUNDS, DANGEROUS),
  route('GET', '/refunds', 200, refundList, EVERYONE, HARMLESS),
  route('POST', '/orders/:order/refund/approve', 200, refundApprove, REFUNDS, DANGEROUS),
  route('POST', '/orders/:order/refund/decline', 200, refundDecline, REFUNDS, HARMLESS),
];
