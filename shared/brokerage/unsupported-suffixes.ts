import type { Environment } from '../platform/config.ts';

/** Held by governments, forces, schools and treaty bodies: nobody may sell a name there. */
const RESTRICTED = new Set(['gov', 'mil', 'edu', 'int', 'arpa', 'ac', 'gob', 'gouv', 'police']);

/** Ends in `ac` are a country's own suffix, not a university's. */
const COUNTRY_SUFFIXES = new Set(['ac']);

/** Reserved for tests and documentation (RFC 6761): good in the sandbox, nobody's in reality. */
const FOR_TESTS = new Set(['example', 'test']);

/** Whether domains under this one's suffix change hands at all: `.gov`, `.edu`, `.gov.uk`, `.ac.jp` do not. */
export function isUnsupportedSuffix(environment: Environment, domain: string): boolean {
  const [last = '', second = ''] = domain.split('.').slice(1).reverse();
  if (FOR_TESTS.has(last)) return environment === 'LIVE';
  if (RESTRICTED.has(last)) return !COUNTRY_SUFFIXES.has(last);
  return RESTRICTED.has(second);
}
