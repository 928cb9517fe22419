import { iso31661Alpha2ToAlpha3 } from 'iso-3166/1-a2-to-1-a3.js';
import { invalid } from './errors.ts';

/** The codes that ISO 3166-1 assigns to countries, alpha-2. */
export const COUNTRY_CODES: readonly string[] = Object.keys(iso31661Alpha2ToAlpha3);

const CODES: ReadonlyMap<string, string> = new Map([
  ...COUNTRY_CODES.map((code) => [code, code] as const),
  // ISO reserves both: UK for the United Kingdom, EL for Greece in VAT numbers.
  ['UK', 'GB'],
  ['EL', 'GR'],
]);

/** Returns the ISO 3166-1 alpha-2 code in upper case; `UK` is `GB`, `EL` is `GR`. Undefined for an unknown code. */
export function readCountry(code: string): string | undefined {
  return CODES.get(code);
}

/** Like {@link readCountry}, for a code that a caller sent at `path`. @throws validation_error */
export function parseCountry(path: string, code: string): string {
  const country = readCountry(code);
  if (country !== undefined) return country;
  throw invalid([{ path, message: 'must be a country code of ISO 3166-1 alpha-2, such as DE' }]);
}
