import type { Static, TSchema } from 'typebox';
import type { Environment } from '../../platform/config/config.ts';

/** Every type of event that a partner can receive. `webhook.ping` is delivered but is no part of the history. */
export const EVENT_TYPES = [
  'order.recorded',
  'order.held',
  'order.manual_review_cleared',
  'order.action_required',
  'order.transfer_started',
  'order.delivery_ready',
  'order.transfer_completed',
  'order.settled',
  'order.refunded',
  'order.disputed',
  'order.dispute_closed',
  'transfer.initiated',
  'transfer.auth_code_ready',
  'transfer.pending_registry',
  'transfer.action_required',
  'transfer.released',
  'transfer.requested',
  'transfer.expired',
  'transfer.completed',
  'transfer.failed',
  'transfer.cancelled',
  'offer.created',
  'offer.countered',
  'offer.accepted',
  'offer.declined',
  'offer.expired',
  'brokerage.case_updated',
  'brokerage.case_completed',
  'webhook.endpoint_disabled',
  'webhook.ping',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** What an event is about: `subject` is the id of one. */
type EventSubject = 'order' | 'offer' | 'case' | 'endpoint' | 'partner';

/**
 * A type of event: when it happens and what it carries. Defined in the feature that it tells of, in its
 * `*.events.ts`. The webhook documentation, both API documents and the SDK are made of it.
 */
export interface EventDefinition<T extends EventType = EventType, D extends TSchema = TSchema> {
  type: T;
  /** When it happens, as a sentence. */
  when: string;
  about: EventSubject;
  /**
   * The schema of `data`. It holds no personal data. Later versions may add fields, so receivers must accept
   * unknown ones; what we send has no field that is not declared.
   */
  data: D;
  example: Static<D>;
}

/** Defines types of events that carry the same `data`. Each name stands in {@link EVENT_TYPES}. */
export function defineEvents<T extends EventType, D extends TSchema>(
  family: Pick<EventDefinition<T, D>, 'about' | 'data'>,
  types: Readonly<Record<T, Pick<EventDefinition<T, D>, 'when' | 'example'>>>,
): { readonly [K in T]: EventDefinition<K, D> } {
  const names = Object.keys(types) as T[];
  const definitions = names.map((type) => [type, { type, ...family, ...types[type] }]);
  return Object.fromEntries(definitions);
}

declare const made: unique symbol;

/** An event about to be recorded, made by {@link newEvent}: nothing else passes the type checker. */
export interface NewEvent {
  readonly definition: EventDefinition;
  /** The id of what the event is about. */
  readonly subject: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly [made]: true;
}

/** An event of a type, about a subject (an id), with the data that its definition asks for. */
export function newEvent<D extends TSchema>(
  definition: EventDefinition<EventType, D>,
  subject: string,
  data: Static<D>,
): NewEvent {
  return { definition, subject, data } as unknown as NewEvent;
}

/** Whose history an event belongs to. */
export interface Stream {
  partnerId: string;
  environment: Environment;
}

/** The delivered body; history shows the same without `partner_id`. */
export interface EventBody {
  id: string;
  type: EventType;
  created_at: string;
  partner_id: string;
  data: Readonly<Record<string, unknown>>;
}
