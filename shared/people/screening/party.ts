import { createHash } from 'node:crypto';
import { foldName, type PartyKind } from './name-form.ts';

/** The role in which a party takes part in a sale or is paid. */
export type PartyRole = 'buyer' | 'organization' | 'registrant' | 'payee';

/** A person or company that is screened against the lists. */
export interface Party {
  role: PartyRole;
  name: string;
  /** Null if the name may belong to a person or a company. */
  kind: PartyKind | null;
  /** ISO 3166-1 alpha-2; null if unknown. */
  country: string | null;
  /** `1960`, `1960-05` or `1960-05-17`; null if unknown. */
  birthDate: string | null;
  /** What distinguishes the party from others with the same name: an email address or a partner id. */
  identity: string;
}

/**
 * Returns a key that is the same for the same party, whatever the order and case of its name. Decisions about a party
 * are stored under it. It does not identify anybody.
 */
export function partyKey({ name, country, identity }: Party): string {
  const told = JSON.stringify([foldName(name), country, identity.toLowerCase()]);
  return createHash('sha256').update(told).digest('base64url');
}
