import type { Environment } from '../../platform/config/config.ts';

/** Suffixes of governments, militaries, schools and treaty bodies, whose names nobody may sell. */
const RESTRICTED = new Set(['gov', 'mil', 'edu', 'int', 'arpa', 'ac', 'gob', 'gouv', 'police']);

/** As the last label, `ac` is a country's own suffix, not a university's. */
const COUNTRY_SUFFIXES = new Set(['ac']);

/** Reserved for tests and documentation (RFC 6761): valid only in the sandbox. */
const FOR_TESTS = new Set(['example', 'test']);

/**
 * Returns an error message if nobody may sell a domain (A-labels) because it ends in `.gov`, `.edu`, `.gov.uk`,
 * `.ac.jp` or the like. Undefined for all others.
 */
export function unsaleableSuffix(environment: Environment, domain: string): string | undefined {
  const suffix = domain.split('.').slice(1);
  const [last = '', second = ''] = suffix.toReversed();
  if (FOR_TESTS.has(last)) {
    return environment === 'LIVE' ? `must not end in .${last}, which is for tests` : undefined;
  }
  if (RESTRICTED.has(last) ? COUNTRY_SUFFIXES.has(last) : !RESTRICTED.has(second)) return undefined;
  return `must not end in .${suffix.join('.')}: names there belong to public authorities and are not for sale`;
}
