import type { EventType, NewEvent } from '../events/event.ts';
import type { BrokerageCase } from './brokerage-case.ts';

/** A `brokerage.*` event about a case as it stands now; no personal data, and the deal's fields null before it. */
export function caseEvent(type: EventType, found: BrokerageCase): NewEvent {
  return {
    type,
    subject: found.id,
    data: {
      case: {
        case_id: found.id,
        domain: found.domain,
        tier: found.tier,
        status: found.status,
        deal_price_cents: found.dealPrice?.amount ?? null,
        commission_cents: found.commission?.amount ?? null,
        currency: found.budget.currency,
        order_id: found.orderId,
      },
    },
  };
}
