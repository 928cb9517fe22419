import type { Environment } from '../../platform/config/config.ts';

/** The endpoint that `PUT /webhooks` registers. */
export const DEFAULT_ENDPOINT = 'default';

/** Whose endpoints: a partner has its own in each environment. */
export interface EndpointOwner {
  partnerId: string;
  environment: Environment;
}

/** Why an endpoint gets nothing: it said 410, did nothing but fail for days, or was removed by its partner. */
export type DisabledReason = 'gone' | 'failing' | 'removed';

/** An endpoint as its partner may see it: without the secret. */
export interface Endpoint {
  id: string;
  /** Its own among the endpoints of its owner. */
  name: string;
  url: string;
  active: boolean;
  disabledReason: DisabledReason | null;
  /** The first failure since the last success or registration. */
  failingSince: Date | null;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  /** Until then the replaced secret signs as well. */
  previousSecretUntil: Date | null;
  createdAt: Date;
  updatedAt: Date;
}
