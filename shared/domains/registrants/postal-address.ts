import { postcodeValidator, postcodeValidatorExistsForCountry } from 'postcode-validator';
import { COUNTRY_CODES } from '../../platform/countries.ts';

/** Countries whose addresses require a state, province or prefecture. */
export const COUNTRIES_WITH_STATES: readonly string[] = [
  'AU',
  'BR',
  'CA',
  'CN',
  'IN',
  'JP',
  'MX',
  'US',
];

/** Countries without postal codes, such as Hong Kong, and those whose codes the library does not know. */
export const COUNTRIES_WITHOUT_POSTAL_CODES: readonly string[] = COUNTRY_CODES.filter(
  (country) => !postcodeValidatorExistsForCountry(country),
);

/** Returns whether an address in this country requires a state. */
export function hasStates(country: string): boolean {
  return COUNTRIES_WITH_STATES.includes(country);
}

/** Returns whether an address in this country requires a postal code. */
export function hasPostalCodes(country: string): boolean {
  return postcodeValidatorExistsForCountry(country);
}

/** Returns whether text has the form of the country's postal codes; true for countries without them. */
export function isPostalCode(text: string, country: string): boolean {
  return !hasPostalCodes(country) || postcodeValidator(text, country);
}
