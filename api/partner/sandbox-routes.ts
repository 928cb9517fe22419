import { Type } from 'typebox';
import { answerOnce } from '../../shared/messaging/unit-of-work/idempotency.ts';
import type { UnitOfWork } from '../../shared/messaging/unit-of-work/unit-of-work.ts';
import { advanceOrder } from '../../shared/operations/demo/advance-sandbox-order.ts';
import {
  type ClockReading,
  moveClock,
  parseMove,
  readClock,
} from '../../shared/operations/sandbox-clock/move-clock.ts';
import { SECOND } from '../../shared/platform/clock.ts';
import { SPAN } from '../../shared/platform/json-schema.ts';
import { ORDER_STATUSES } from '../../shared/sales/orders/order.ts';
import { getOrderDetail } from '../../shared/sales/orders/read-orders.ts';
import { Instant, nullable } from '../http/common-schemas.ts';
import { reply } from '../http/reply.ts';
import { OrderDetailView, OrderParams, orderDetailView } from './order-schemas.ts';
import { partnerRoute } from './partner-route.ts';

const AdvanceInput = Type.Object(
  {
    to: Type.Enum([...ORDER_STATUSES], {
      description: 'One allowed step from the current status.',
    }),
  },
  { title: 'AdvanceInput', examples: [{ to: 'TRANSFER_IN_PROGRESS' }] },
);

/** `POST /sandbox/orders/{public_id}/advance`: plays our part, so that partners can see a whole order lifecycle. */
export const advanceOrderRoute = partnerRoute({
  method: 'POST',
  path: '/v1/sandbox/orders/:public_id/advance',
  operationId: 'advanceOrder',
  summary: 'Move a sandbox order to its next step.',
  description: '`SETTLED` immediately closes a statement of your delivered sandbox orders.',
  scopes: ['buy'],
  limit: 'write',
  sandboxOnly: true,
  params: OrderParams,
  body: AdvanceInput,
  responses: { 200: OrderDetailView },
  errors: ['conflict'],
  async handler(context, { caller, params, body }) {
    await advanceOrder(context, caller, { orderId: params.public_id, to: body.to });
    return reply(
      200,
      orderDetailView(context, await getOrderDetail(context, caller, params.public_id)),
    );
  },
});

const ClockView = Type.Object(
  {
    now: Type.String({ format: 'date-time', description: 'Get the current time of your sandbox.' }),
    ahead_seconds: Type.Integer({
      description: 'How far the sandbox clock is ahead of real time.',
    }),
    status: Type.Enum(['ready', 'advancing'], {
      description: '`advancing` while work that is due before the target time runs, step by step.',
    }),
    advancing_to: nullable(Instant),
    settlement_period_ends_at: Instant,
  },
  { title: 'SandboxClock', description: 'The clock of your sandbox. It only goes forward.' },
);

const ClockMoveInput = Type.Object(
  {
    to: Type.Optional(
      Type.String({ format: 'date-time', description: "A point in your sandbox's time." }),
    ),
    by: Type.Optional(
      Type.String({
        pattern: SPAN,
        description: "A duration from the clock's current time: `90s`, `30m`, `1h`, `7d`.",
      }),
    ),
  },
  { title: 'ClockMoveInput', examples: [{ by: '1h' }] },
);

function clockView({ now, aheadMs, advancing, target, periodEndsAt }: ClockReading) {
  return {
    now: now.toISOString(),
    ahead_seconds: Math.floor(aheadMs / SECOND),
    status: advancing ? 'advancing' : 'ready',
    advancing_to: advancing && target ? target.toISOString() : null,
    settlement_period_ends_at: periodEndsAt.toISOString(),
  };
}

/** `GET /sandbox/clock`: the current time in the sandbox. */
export const getClockRoute = partnerRoute({
  method: 'GET',
  path: '/v1/sandbox/clock',
  operationId: 'getSandboxClock',
  summary: 'Get the current time of your sandbox.',
  scopes: ['buy', 'report'],
  limit: 'reads',
  sandboxOnly: true,
  responses: { 200: ClockView },
  async handler(context, { caller }) {
    return reply(200, clockView(await readClock(context, caller.partnerId)));
  },
});

/** `POST /sandbox/clock/advance`: lets what takes days happen in seconds. */
export const advanceClockRoute = partnerRoute({
  method: 'POST',
  path: '/v1/sandbox/clock/advance',
  operationId: 'advanceSandboxClock',
  summary: 'Move the clock of your sandbox forward.',
  description:
    'Give `to` or `by`. Everything due in between happens in order, with its events: transfers, expiries, ends of settlement periods, payouts. The clock never goes back, and can be at most 731 days ahead of real time. Send an `Idempotency-Key` with `by`, so that a retry does not move the clock twice.',
  scopes: ['buy'],
  limit: 'write',
  sandboxOnly: true,
  body: ClockMoveInput,
  responses: { 202: ClockView },
  errors: ['conflict'],
  async handler(context, { caller, body, idempotencyKey, method, path }) {
    const { partnerId, keyId } = caller;
    const move = parseMove(body);
    const scope = { credential: keyId, method, path, key: idempotencyKey ?? '' };
    const run = async (uow: UnitOfWork) => clockView(await moveClock(uow, keyId, partnerId, move));
    if (idempotencyKey === undefined) {
      return reply(202, await context.db.transactFor(partnerId, run));
    }
    return answerOnce(context, partnerId, scope, body, async (uow) => ({
      status: 202,
      text: JSON.stringify(await run(uow)),
    }));
  },
});
