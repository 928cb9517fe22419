import type { Environment } from '../../platform/config/config.ts';

/** The endpoint that `PUT /webhooks` registers. */
export const DEFAULT_ENDPOINT = 'default';

/** Whose endpoints: a partner has its own in each environment. */
export interface EndpointOwner {
  partnerId: string;
  environment: Environment;
}

/** At most so many of one partner in an environment, beside the one that `PUT /webhooks` registers. */
export const MAX_ENDPOINTS = 10;

/**
 * Why an endpoint gets nothing: it said 410, did nothing but fail for days, or was paused or removed by its partner.
 */
export type DisabledReason = 'gone' | 'failing' | 'paused' | 'removed';

/** `thin`: the event without its data, which the receiver then reads. */
export const PAYLOADS = ['full', 'thin'] as const;
export type PayloadKind = (typeof PAYLOADS)[number];

/** `per_subject`: an event waits until those of its subject before it were delivered or given up. */
export const ORDERINGS = ['none', 'per_subject'] as const;
export type Ordering = (typeof ORDERINGS)[number];

/** What a partner chooses about an endpoint beside its secret and headers. */
export interface EndpointSettings {
  /** Its own among the endpoints of its owner. */
  name: string;
  url: string;
  /** Types and patterns like `order.*`; null for all. */
  eventTypes: readonly string[] | null;
  payload: PayloadKind;
  ordering: Ordering;
  /** Requests a second at most; null without a limit. */
  maxPerSecond: number | null;
}

/** An endpoint as its partner may see it: without the secret. */
export interface Endpoint extends EndpointSettings {
  id: string;
  active: boolean;
  disabledReason: DisabledReason | null;
  /** The first failure since the last success or registration. */
  failingSince: Date | null;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  /** Until then its circuit breaker sends nothing; null while it is closed. */
  openUntil: Date | null;
  /** Until then the replaced secret signs as well. */
  previousSecretUntil: Date | null;
  createdAt: Date;
  updatedAt: Date;
}
