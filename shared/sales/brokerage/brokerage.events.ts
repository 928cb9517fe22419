import { Type } from 'typebox';
import { defineEvents, type NewEvent, newEvent } from '../../messaging/event-types/event.ts';
import { nullable } from '../../platform/json-schema.ts';
import { type BrokerageCase, CASE_STATUSES, CASE_TIERS } from './brokerage-case.ts';

const cents = (what: string) =>
  Type.Integer({ description: `${what}, in minor units of \`currency\`.` });

const deal = {
  deal_price_cents: cents('What the buyer pays'),
  commission_cents: cents('What you earn'),
  order_id: Type.String({ description: 'The order created from the deal.' }),
};

const common = {
  case_id: Type.String({ description: 'The case ID.' }),
  domain: Type.String({ description: 'The domain that the buyer wants.' }),
  tier: Type.Enum([...CASE_TIERS], { description: 'Who runs the case: our staff or the buyer.' }),
  status: Type.Enum([...CASE_STATUSES], { description: 'The status after this step.' }),
  currency: Type.String({ description: 'ISO 4217.' }),
};

const CaseInEvent = Type.Object(
  {
    ...common,
    deal_price_cents: nullable(deal.deal_price_cents),
    commission_cents: nullable(deal.commission_cents),
    order_id: nullable(deal.order_id),
  },
  { title: 'CaseInEvent', description: "The case; the deal's fields are null before the deal." },
);

const CompletedCaseInEvent = Type.Object(
  { ...common, ...deal },
  { title: 'CompletedCaseInEvent', description: 'The case with its deal.' },
);

const EXAMPLE = {
  case_id: 'brk_01k6q0v1a2e3rs8h9m4n5p6q7w',
  domain: 'wanted.com',
  tier: 'self_serve',
  currency: 'USD',
} as const;

/** The events for the steps of a brokerage case. */
export const CASE_EVENTS = {
  ...defineEvents(
    { about: 'case', data: Type.Object({ case: CaseInEvent }, { title: 'CaseEventData' }) },
    {
      'brokerage.case_updated': {
        when: 'A brokerage case changed its status, or its buyer raised the budget.',
        example: {
          case: {
            ...EXAMPLE,
            status: 'NEGOTIATING',
            deal_price_cents: null,
            commission_cents: null,
            order_id: null,
          },
        },
      },
    },
  ),
  ...defineEvents(
    {
      about: 'case',
      data: Type.Object({ case: CompletedCaseInEvent }, { title: 'CompletedCaseEventData' }),
    },
    {
      'brokerage.case_completed': {
        when: 'A brokerage case closed with a deal.',
        example: {
          case: {
            ...EXAMPLE,
            status: 'COMPLETED',
            deal_price_cents: 450_000,
            commission_cents: 67_500,
            order_id: 'ord_01k6q0v1a2e3rs8h9m4n5p6q7w',
          },
        },
      },
    },
  ),
};

export type CaseEventType = keyof typeof CASE_EVENTS;

/** Creates a `brokerage.*` event with the current state of a case. It contains no personal data. */
export function caseEvent(type: CaseEventType, found: BrokerageCase): NewEvent {
  const { id, domain, tier, status, budget, dealPrice, commission, orderId } = found;
  const facts = { case_id: id, domain, tier, status, currency: budget.currency };
  if (type === 'brokerage.case_completed') {
    return newEvent(CASE_EVENTS[type], id, { case: { ...facts, ...dealPayload(found) } });
  }
  return newEvent(CASE_EVENTS[type], id, {
    case: {
      ...facts,
      deal_price_cents: dealPrice?.amount ?? null,
      commission_cents: commission?.amount ?? null,
      order_id: orderId,
    },
  });
}

function dealPayload({ id, dealPrice, commission, orderId }: BrokerageCase) {
  if (!dealPrice || !commission || orderId === null) throw new Error(`${id} has no deal`);
  return {
    deal_price_cents: dealPrice.amount,
    commission_cents: commission.amount,
    order_id: orderId,
  };
}
