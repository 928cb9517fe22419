/** A change of the registrant that an owner asked for. */
export interface RegistrantChange {
  id: string;
  /** A-labels; LIVE. */
  domain: string;
  /** Who asked for it. */
  userId: string;
  /** Whom the domain is to be registered for; null once the change is over. */
  sealed: Buffer | null;
  /** Whether the registrant becomes another one, so that the domain is locked against transfers. */
  material: boolean;
  status: RegistrantChangeStatus;
  /** Why the registry refused it, in words for the owner. */
  reason: string | null;
  createdAt: Date;
  endedAt: Date | null;
}

/** `held`: the registrant may be on a sanctions list, so two people decide. */
export type RegistrantChangeStatus = 'held' | 'pending' | 'done' | 'refused' | 'declined';
