import type { PublishedRegistrant } from './lookup.ts';
import { countryCode, publishedText } from './published-text.ts';

/** A list, or an empty one for whatever a server sends instead. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The fields of an object, or none. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/**
 * Reads a jCard (RFC 7095) as far as it tells who somebody is. Servers bend the format in many ways: values of
 * the wrong type, properties cut short, addresses only in a label; what can't be read is null.
 */
export function readCard(vcardArray: unknown): PublishedRegistrant {
  const properties = listOf(listOf(vcardArray)[1]).map(listOf);
  const named = (name: string) =>
    properties.filter(([given]) => typeof given === 'string' && given.toLowerCase() === name);
  return {
    name: firstOf(named('fn').map(([, , , ...values]) => firstText(values))),
    organization: firstOf(named('org').map(([, , , ...values]) => firstText(values))),
    country: firstOf(named('adr').map(([, params, , address]) => countryOf(params, address))),
  };
}

const firstOf = (found: readonly (string | null)[]): string | null =>
  found.find((value) => value !== null) ?? null;

/** The first text of a value that may be a list, or a list of lists (an organization and its units). */
function firstText(value: unknown, depth = 0): string | null {
  if (!Array.isArray(value)) return publishedText(value);
  return depth < 3 ? firstOf(value.slice(0, 20).map((each) => firstText(each, depth + 1))) : null;
}

/** The country of an address: the parameter of RFC 8605, the seventh part, or a label's last line. */
function countryOf(params: unknown, address: unknown): string | null {
  const { cc, CC, label } = fieldsOf(params);
  const parts = listOf(address);
  const lines = typeof label === 'string' ? label.slice(0, 2_000).trim().split('\n') : [];
  return firstOf([cc, CC, firstText(parts[6]), lines.at(-1)].map(countryCode));
}
