import type { Environment } from '../../platform/config/config.ts';
import type { Registrant } from '../registrants/registrant.ts';

/** Who a domain is registered for, as stored: what they are called stays sealed. */
export interface DomainRegistrant {
  id: string;
  environment: Environment;
  /** A-labels. */
  domain: string;
  /** Whose sale it was; null for a domain that no partner sold. */
  partnerId: string | null;
  /** The sale by which it was registered, if any. */
  orderId: string | null;
  sealed: Buffer;
  /** Whether somebody answered at the e-mail address of the registrant. */
  verification: 'pending' | 'verified';
  /** Counts addresses to be verified: a link is good for one of them. */
  round: number;
  /** When an address that nobody has verified takes the domain out of the DNS. */
  verifyBy: Date;
  /** Mails that asked for this round, and when the last one was written. */
  mails: number;
  mailedAt: Date | null;
  /** Whether the registry keeps the domain out of the DNS for it; `asked` while nobody knows. */
  hold: 'none' | 'asked' | 'set';
  /** When somebody else became the registrant, or their e-mail address another one; null if never. */
  changedAt: Date | null;
  registeredAt: Date;
}

/** The steps by which partners and staff follow a registrant in the timeline of an order. */
export type RegistrantStep = 'registrant.held' | 'registrant.released' | 'registrant.verified';

/** Whether the domain has to be out of the DNS at an instant. Once it is, another address has to be verified, too. */
export function isToBeHeld(
  { verification, verifyBy, hold }: Pick<DomainRegistrant, 'verification' | 'verifyBy' | 'hold'>,
  now: Date,
): boolean {
  return verification === 'pending' && (hold === 'set' || verifyBy <= now);
}

/**
 * Whether a change is one of the registrant, as ICANN's Transfer Policy has it (section II.A.1.3): another name,
 * organization or e-mail address. What is the same but for case and blanks is a correction; of a domain whose registrant we
 * do not know, anybody is another one.
 */
export function isMaterialChange(before: Registrant | undefined, after: Registrant): boolean {
  if (!before) return true;
  const of = ({ name, organization, email }: Registrant) =>
    [name, organization ?? '', email]
      .map((each) => each.normalize('NFKC').replace(/\s+/gu, ' ').trim().toLowerCase())
      .join('\n');
  return of(before) !== of(after);
}
