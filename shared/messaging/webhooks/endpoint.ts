import type { Environment } from '../../platform/config/config.ts';

/** The endpoint that `PUT /webhooks` registers. */
export const DEFAULT_ENDPOINT = 'default';

/** The owner of endpoints: a partner in one environment. */
export interface EndpointOwner {
  partnerId: string;
  environment: Environment;
}

/** The maximum number of endpoints per partner and environment, without the one that `PUT /webhooks` registers. */
export const MAX_ENDPOINTS = 10;

/**
 * Why an endpoint gets no events: it returned 410, has only failed for days, or was paused or removed by its partner.
 */
export type DisabledReason = 'gone' | 'failing' | 'paused' | 'removed';

/** The payload kinds. `thin` sends the event without its data, which the receiver then fetches. */
export const PAYLOADS = ['full', 'thin'] as const;
export type PayloadKind = (typeof PAYLOADS)[number];

/** The orderings. With `per_subject`, an event waits until all earlier events of its subject have ended. */
export const ORDERINGS = ['none', 'per_subject'] as const;
export type Ordering = (typeof ORDERINGS)[number];

/** The settings of an endpoint, apart from its secret and headers. */
export interface EndpointSettings {
  /** Unique among the owner's endpoints. */
  name: string;
  url: string;
  /** Types and patterns like `order.*`; null for all. */
  eventTypes: readonly string[] | null;
  payload: PayloadKind;
  ordering: Ordering;
  /** The maximum number of requests per second; null for no limit. */
  maxPerSecond: number | null;
}

/** An endpoint as shown to its partner: without the secret. */
export interface Endpoint extends EndpointSettings {
  id: string;
  active: boolean;
  disabledReason: DisabledReason | null;
  /** The first failure since the last success or registration. */
  failingSince: Date | null;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  /** When the circuit breaker stops blocking requests; null while it is closed. */
  openUntil: Date | null;
  /** Until when the previous secret signs as well. */
  previousSecretUntil: Date | null;
  createdAt: Date;
  updatedAt: Date;
}
