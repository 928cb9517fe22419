import { createHash } from 'node:crypto';
import { foldName, type PartyKind } from './name-form.ts';

/** As what a party takes part in a sale, or is paid. */
export type PartyRole = 'buyer' | 'organization' | 'registrant' | 'payee';

/** Somebody who is compared with the lists. */
export interface Party {
  role: PartyRole;
  name: string;
  /** Null where a name may be that of a person or a company. */
  kind: PartyKind | null;
  /** ISO 3166-1 alpha-2; null when it is not known. */
  country: string | null;
  /** `1960` to `1960-05-17`; null when it is not known. */
  birthDate: string | null;
  /** What else tells this party from one of the same name: an email address, a partner's id. */
  identity: string;
}

/**
 * The same for the same party, in whatever order and case its name is written; a decision about a party is remembered by
 * it. Nobody can be told from it.
 */
export function partyKey({ name, country, identity }: Party): string {
  const told = JSON.stringify([foldName(name), country, identity.toLowerCase()]);
  return createHash('sha256').update(told).digest('base64url');
}
