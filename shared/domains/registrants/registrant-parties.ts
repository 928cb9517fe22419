import type { Party } from '../../people/screening/party.ts';
import type { Registrant } from './registrant.ts';

/** Returns the parties to screen for a registrant: the person, and the organization if there is one. */
export function partiesOfRegistrant({ name, organization, country, email }: Registrant): Party[] {
  const known = { country, birthDate: null, identity: email };
  const person: Party = { ...known, role: 'registrant', name, kind: null };
  if (!organization) return [person];
  return [person, { ...known, role: 'organization', name: organization, kind: 'entity' }];
}
