import { type TSchema, Type } from 'typebox';
import { EVENT_TYPES, type EventType } from '../../shared/delivery/events/event.ts';
import { listEvents } from '../../shared/delivery/events/read-events.ts';
import { CASE_STATUSES, CASE_TIERS } from '../../shared/sales/brokerage/brokerage-case.ts';
import { ORDER_STATUSES } from '../../shared/sales/orders/order.ts';
import { TRANSFER_STATUSES } from '../../shared/sales/transfers/transfer.ts';
import { Instant, nullable } from '../http/common-schemas.ts';
import { reply } from '../http/reply.ts';
import { partnerRoute } from './partner-route.ts';

const order = Type.Object(
  {
    public_id: Type.String(),
    domain: Type.String(),
    status: Type.Enum([...ORDER_STATUSES]),
    sale_price_cents: Type.Integer(),
    currency: Type.String(),
  },
  { title: 'OrderInEvent', description: 'The order as it stood after the step.' },
);

const transfer = Type.Object(
  {
    id: Type.String(),
    status: Type.Enum([...TRANSFER_STATUSES]),
    method: Type.Enum(['push', 'auth_code']),
    reason: Type.Optional(
      Type.String({ description: 'What somebody has to do, or why it failed.' }),
    ),
    occurred_at: Instant,
  },
  { title: 'TransferInEvent', description: 'The move of the domain as it stood after the step.' },
);

const brokerageCase = Type.Object(
  {
    case_id: Type.String(),
    domain: Type.String(),
    tier: Type.Enum([...CASE_TIERS]),
    status: Type.Enum([...CASE_STATUSES]),
    deal_price_cents: nullable(Type.Integer()),
    commission_cents: nullable(Type.Integer()),
    currency: Type.String(),
    order_id: nullable(Type.String()),
  },
  { title: 'CaseInEvent', description: "The case; the deal's fields are null before the deal." },
);

type FamilyOf<T extends string> = T extends `${infer Name}.${string}` ? `${Name}.` : never;
/** The part of a type before its dot. */
type Family = FamilyOf<EventType>;

/** What an event of each family carries; no personal data of a buyer. */
const DATA: Readonly<Record<Family, TSchema>> = {
  'order.': Type.Object({ order }, { title: 'OrderEventData' }),
  'transfer.': Type.Object({ order, transfer }, { title: 'TransferEventData' }),
  'brokerage.': Type.Object({ case: brokerageCase }, { title: 'CaseEventData' }),
  'webhook.': Type.Object({}, { title: 'PingEventData' }),
};

/** The fields of an event as a partner sees it, for these types of one family. */
export function eventFields(family: Family, types: readonly EventType[]) {
  return {
    id: Type.String(),
    type: Type.Enum([...types]),
    created_at: Instant,
    data: DATA[family],
  };
}

/** The family that a type belongs to. */
export function familyOf(type: EventType): Family {
  return `${type.split('.')[0]}.` as Family;
}

/** A ping is no part of the history. */
const HISTORY = (Object.keys(DATA) as Family[]).filter((family) => family !== 'webhook.');

export const EventList = Type.Object(
  {
    events: Type.Array(
      Type.Union(
        HISTORY.map((family) =>
          Type.Object(
            eventFields(
              family,
              EVENT_TYPES.filter((type) => familyOf(type) === family),
            ),
          ),
        ),
      ),
    ),
    next_cursor: Type.Union([Type.String(), Type.Null()], {
      description: 'Pass as the next `after_id`; null when there is nothing newer.',
    }),
  },
  { title: 'EventList', description: 'A page of the event history, oldest first.' },
);

export const EventQuery = Type.Object({
  after_id: Type.Optional(Type.String({ description: 'The last event already seen.' })),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Events a page.' }),
});

/** `GET /events`: the replayable history. */
export const listEventsRoute = partnerRoute({
  method: 'GET',
  path: '/v1/events',
  operationId: 'listEvents',
  summary: 'Read the event history, oldest first.',
  description:
    'Complete: no event appears before one that you have read. Keep the id of the last event you handled and go on from it.',
  scopes: ['webhook'],
  limit: 'reads',
  query: EventQuery,
  responses: { 200: EventList },
  async handler(context, { caller, query }) {
    const { rows, next } = await listEvents(context, caller, {
      afterId: query.after_id ?? null,
      limit: query.limit,
    });
    return reply(200, {
      events: rows.map(({ id, type, created_at, data }) => ({ id, type, created_at, data })),
      next_cursor: next,
    });
  },
});
