import type { Environment } from '../platform/config.ts';

/** How a domain travels: `push` within our registrar's network, `auth_code` by the buyer's own transfer. */
export type TransferMethod = 'push' | 'auth_code';

/** Where a push stands at the registrar. `reason` is a short machine-readable word. */
export interface PushState {
  status: 'pending' | 'completed' | 'failed' | 'action_required';
  reason?: string;
}

export interface PushRequest {
  /**
   * Chosen by us and stable: the registrar makes at most one push of it, however often it is asked.
   * Another attempt on purpose (an ops retry) is another reference.
   */
  clientReference: string;
  /** A-labels. */
  domain: string;
  method: TransferMethod;
}

/**
 * The registrar that holds the domains on sale. An adapter throws when it gets no answer; whoever asks
 * then asks again with the same reference.
 */
export interface Registrar {
  name: string;
  /** Begins the push, or finds it when it has begun. */
  push(request: PushRequest): Promise<PushState>;
  /** A reference that the registrar does not know reads as failed (`unknown_reference`). */
  read(clientReference: string): Promise<PushState>;
  /**
   * Afterwards nothing is open under the reference, and a push of it that arrives later is refused;
   * `too_late` when the domain has left already.
   */
  cancel(clientReference: string): Promise<'cancelled' | 'too_late'>;
}

/** The registrar of an environment. */
export type Registrars = (environment: Environment) => Registrar;
