import { createHmac } from 'node:crypto';
import type { NewContact } from '../epp/epp-objects.ts';
import type { Registrant } from './registrar.ts';

/** The id of the contact of a push's buyer: the same whenever it is asked for, of the 16 characters of RFC 5733. */
export function buyerHandle(clientReference: string): string {
  return `B${createHmac('sha256', 'handle').update(clientReference).digest('hex').slice(0, 15)}`;
}

/** Whether a contact was made for the buyer of one domain. */
export function isBuyerHandle(id: string): boolean {
  return /^B[0-9a-f]{15}$/.test(id);
}

/** An order has no postal address: it is for the registrar's people to complete. */
export function buyerContact(
  id: string,
  { email, name, country }: Registrant,
  authInfo: string,
): NewContact {
  return {
    id,
    postalInfo: [{ type: 'loc', name: name ?? email, city: 'Unknown', country: country ?? 'ZZ' }],
    email,
    authInfo,
  };
}
