/** A registrant change that an owner requested. */
export interface RegistrantChange {
  id: string;
  /** A-labels; LIVE. */
  domain: string;
  /** The user who requested it. */
  userId: string;
  /** The new registrant; null once the change is over. */
  sealed: Buffer | null;
  /** Whether it is a Change of Registrant, which locks the domain against transfers. */
  material: boolean;
  status: RegistrantChangeStatus;
  /** Why the registry refused it, worded for the owner. */
  reason: string | null;
  createdAt: Date;
  endedAt: Date | null;
}

/** `held`: the registrant may be on a sanctions list, so two people decide. */
export type RegistrantChangeStatus = 'held' | 'pending' | 'done' | 'refused' | 'declined';
