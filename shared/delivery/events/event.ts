import type { Environment } from '../../platform/config/config.ts';

/** Every kind of event that a partner can receive. `webhook.ping` is delivered but is no part of the history. */
export const EVENT_TYPES = [
  'order.recorded',
  'order.manual_review_cleared',
  'order.transfer_started',
  'order.transfer_completed',
  'order.settled',
  'order.refunded',
  'transfer.initiated',
  'transfer.auth_code_ready',
  'transfer.pending_registry',
  'transfer.action_required',
  'transfer.completed',
  'transfer.failed',
  'transfer.cancelled',
  'brokerage.case_updated',
  'brokerage.case_completed',
  'webhook.endpoint_disabled',
  'webhook.ping',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** An event about to be recorded. `data` goes out as it stands: it holds no personal data. */
export interface NewEvent {
  type: EventType;
  /** The id of what the event is about, for look-ups. */
  subject: string;
  data: Readonly<Record<string, unknown>>;
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
