import type { Party } from '../../people/screening/party.ts';
import type { Registrant } from './registrant.ts';

/** Who a registrant is: a person, and a company if one is named. */
export function partiesOfRegistrant({ name, organization, country, email }: Registrant): Party[] {
  const known = { country, birthDate: null, identity: email };
  const person: Party = { ...known, role: 'registrant', name, kind: null };
  if (!organization) return [person];
  return [person, { ...known, role: 'organization', name: organization, kind: 'entity' }];
}
