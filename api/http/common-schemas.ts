import { Type } from 'typebox';
import { parseTld } from '../../shared/market/names/domain-name.ts';
import { invalid } from '../../shared/platform/errors.ts';
import { COUNTRY_CODE } from '../../shared/platform/json-schema.ts';

export { Instant, nullable } from '../../shared/platform/json-schema.ts';

/** The pattern of a URL that a browser can open. */
export const HTTP_URL = '^[hH][tT][tT][pP][sS]?://[^/?#]';

/** A URL that a browser can open. */
export const HttpUrl = Type.String({
  format: 'uri',
  pattern: HTTP_URL,
  maxLength: 2_048,
});

/** A country in a request; `parseCountry` reads it. */
export const CountryField = Type.String({
  pattern: COUNTRY_CODE,
  description:
    'ISO 3166-1 alpha-2. `UK` is read as `GB`, `EL` as `GR`; codes without a country, such as `EU`, are rejected.',
});

/** Returns the schema of a date or date-time in a request; a date means its midnight UTC. */
export function dateOrInstant(description: string) {
  return Type.String({
    anyOf: [{ format: 'date' }, { format: 'date-time' }],
    description: `${description} A date or a date-time, of the years 1970 to 9999.`,
  });
}

/** Returns the schema of an optional query parameter that lists any of `words`, comma-separated. */
export const enumList = (words: readonly string[]) =>
  Type.Optional(
    Type.String({ maxLength: 255, description: `Comma-separated, of ${words.join(', ')}.` }),
  );

/** Parses a comma-separated parameter into known words; null if it is missing. @throws validation_error */
export function parseEnumList<W extends string>(
  path: string,
  text: string | undefined,
  known: readonly W[],
): W[] | null {
  if (text === undefined) return null;
  const words = text.split(',').map((part) => known.find((word) => word === part.trim()));
  if (words.every((word) => word !== undefined)) return [...new Set(words)];
  throw invalid([{ path, message: `must name any of ${known.join(', ')}` }]);
}

/** The `tld` filter of a list. */
export const TldFilter = Type.Optional(
  Type.String({ maxLength: 255, description: 'Only this suffix: `com`.' }),
);

/** Returns the suffix to filter by, in A-labels; null for all. @throws validation_error */
export function parseTldFilter(text: string | undefined): string | null {
  if (text === undefined) return null;
  const tld = parseTld(text);
  if (tld !== undefined) return tld;
  throw invalid([{ path: '/tld', message: 'must be a suffix such as com or co.uk' }]);
}
