import { describe, expect, it } from '@jest/globals';
import { exampleOf, thinExampleOf } from '../../api/openapi/event-messages.ts';
import { EVENTS } from '../../api/partner/event-catalogue.ts';
import type {
  EventOf,
  EventType,
  HistoryEvent,
  ThinEvent,
  WebhookEvent,
} from '../../sdk/src/index.ts';
import { verifyWebhook } from '../../sdk/src/webhooks.ts';
import type { EventType as ServiceEventType } from '../../shared/messaging/event-types/event.ts';
import { signBody } from '../../shared/messaging/webhooks/webhook-signature.ts';

// What follows is proved by the compiler; that it runs shows that the types are those of real events.

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const proved = <T extends true>(..._proof: T[]) => {};

/** What a handler shows of an event. It does not compile while a type lacks its case. */
function describeEvent(event: WebhookEvent): string {
  switch (event.type) {
    case 'order.recorded':
    case 'order.held':
    case 'order.manual_review_cleared':
    case 'order.transfer_started':
    case 'order.transfer_completed':
    case 'order.settled':
    case 'order.refunded':
      return event.data.order.public_id;
    case 'order.action_required':
      return event.data.action_required;
    case 'order.disputed':
    case 'order.dispute_closed':
      return event.data.dispute.id;
    case 'transfer.initiated':
    case 'transfer.auth_code_ready':
    case 'transfer.pending_registry':
    case 'transfer.action_required':
    case 'transfer.completed':
    case 'transfer.failed':
    case 'transfer.cancelled':
      return event.data.transfer.id;
    case 'order.delivery_ready':
    case 'transfer.released':
    case 'transfer.requested':
    case 'transfer.expired':
      return event.data.delivery.status;
    case 'offer.created':
    case 'offer.countered':
    case 'offer.accepted':
    case 'offer.declined':
    case 'offer.expired':
      return event.data.offer.id;
    case 'brokerage.case_updated':
      // @ts-expect-error There may be no deal yet.
      return event.data.case.deal_price_cents.toFixed();
    case 'brokerage.case_completed':
      return event.data.case.deal_price_cents.toFixed();
    case 'webhook.endpoint_disabled':
      return event.data.endpoint.disabled_reason;
    case 'webhook.ping':
      return '';
    default:
      return event satisfies never;
  }
}

const SECRET = 'a-secret-of-the-endpoint';
const deliver = (event: object) => {
  const body = JSON.stringify(event);
  return { body, signature: signBody(SECRET, body), secret: SECRET };
};

describe('SDK event types', () => {
  it('match the service’s event types in webhooks and history', () => {
    proved<Same<EventType, ServiceEventType>>(true);
    proved<Same<HistoryEvent['type'], Exclude<EventType, 'webhook.ping'>>>(true);
    proved<Same<EventOf<'order.settled'>['type'], 'order.settled'>>(true);
    proved<Same<Extract<HistoryEvent, { type: 'transfer.failed' }>['type'], 'transfer.failed'>>(
      true,
    );
    const orderOf = (event: HistoryEvent) =>
      event.type === 'transfer.failed' ? event.data.order.public_id : undefined;
    expect(
      EVENTS.map((event) => orderOf(exampleOf(event) as HistoryEvent)).filter(Boolean),
    ).toEqual(['ord_01k6q0v0zrf5bts0c4d6e8f9ga']);
  });

  it('describe the data of a verified event', () => {
    const handled = EVENTS.filter(({ type }) => type !== 'brokerage.case_updated').map(
      (definition) => describeEvent(verifyWebhook(deliver(exampleOf(definition)))),
    );
    expect(handled).toContain('450000');
    expect(handled).toContain('failing');
  });

  it('describe a thin event', () => {
    const definition = EVENTS[0] as (typeof EVENTS)[number];
    const thin = thinExampleOf(definition);
    const event: ThinEvent = verifyWebhook({ ...deliver(thin), payload: 'thin' });
    expect(event).toEqual(thin);
    // @ts-expect-error It has no data.
    expect(event.data).toBeUndefined();
    // @ts-expect-error An event in full has no subject.
    expect(verifyWebhook(deliver(exampleOf(definition))).subject).toBeUndefined();
  });
});
