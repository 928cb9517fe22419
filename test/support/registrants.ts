import type { Registrant } from '../../shared/domains/registrants/registrant.ts';

/** A registrant that every TLD without special rules accepts, in API format. */
export const REGISTRANT = {
  name: 'A. Buyer',
  street: ['Lindenallee 12'],
  city: 'Berlin',
  postal_code: '10115',
  country: 'DE',
  phone: '+4930123456',
  email: 'buyer@example.com',
};

/** The same registrant, parsed. */
export const KEPT_REGISTRANT: Registrant = {
  name: REGISTRANT.name,
  organization: null,
  street: REGISTRANT.street,
  city: REGISTRANT.city,
  state: null,
  postalCode: REGISTRANT.postal_code,
  country: REGISTRANT.country,
  phone: REGISTRANT.phone,
  email: REGISTRANT.email,
  extra: {},
};
