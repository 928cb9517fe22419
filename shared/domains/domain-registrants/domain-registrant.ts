import type { Environment } from '../../platform/config/config.ts';
import type { Registrant } from '../registrants/registrant.ts';

/** The registrant of a domain, as stored: the personal data stays sealed. */
export interface DomainRegistrant {
  id: string;
  environment: Environment;
  /** A-labels. */
  domain: string;
  /** The partner that sold the domain; null if none did. */
  partnerId: string | null;
  /** The order that registered it, if any. */
  orderId: string | null;
  sealed: Buffer;
  /** Whether the registrant confirmed their email address. */
  verification: 'pending' | 'verified';
  /** Incremented for each new registrant or address; a verification link is valid for one round. */
  round: number;
  /** When the domain leaves the DNS if the address is still unverified. */
  verifyBy: Date;
  /** Verification mails sent in this round, and when the last one was written. */
  mails: number;
  mailedAt: Date | null;
  /** Whether the registry keeps the domain out of the DNS for it; `asked` while the outcome is unknown. */
  hold: 'none' | 'asked' | 'set';
  /** When the registrant last changed materially ({@link isMaterialChange}); null if never. */
  changedAt: Date | null;
  registeredAt: Date;
}

/** The registrant steps that partners and staff see in the timeline of an order. */
export type RegistrantStep = 'registrant.held' | 'registrant.released' | 'registrant.verified';

/** Returns whether a domain must be out of the DNS now. Once it is, it stays out until an address is verified. */
export function isToBeHeld(
  { verification, verifyBy, hold }: Pick<DomainRegistrant, 'verification' | 'verifyBy' | 'hold'>,
  now: Date,
): boolean {
  return verification === 'pending' && (hold === 'set' || verifyBy <= now);
}

/**
 * Returns whether a change is a Change of Registrant under ICANN's Transfer Policy (section II.A.1.3): another name,
 * organization or email address. A difference only in case or white space is a correction. If the earlier registrant
 * is unknown, every change is material.
 */
export function isMaterialChange(before: Registrant | undefined, after: Registrant): boolean {
  if (!before) return true;
  const of = ({ name, organization, email }: Registrant) =>
    [name, organization ?? '', email]
      .map((each) => each.normalize('NFKC').replace(/\s+/gu, ' ').trim().toLowerCase())
      .join('\n');
  return of(before) !== of(after);
}
