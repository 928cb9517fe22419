import { Type } from 'typebox';
import { parseTld } from '../../shared/market/names/domain-name.ts';
import { invalid } from '../../shared/platform/errors.ts';
import { COUNTRY_CODE } from '../../shared/platform/json-schema.ts';

export { Instant, nullable } from '../../shared/platform/json-schema.ts';

/** The pattern of an address that a browser can be sent to. */
export const HTTP_URL = '^[hH][tT][tT][pP][sS]?://[^/?#]';

/** An address that a browser can be sent to. */
export const HttpUrl = Type.String({
  format: 'uri',
  pattern: HTTP_URL,
  maxLength: 2_048,
});

/** A country that a caller sends; `parseCountry` reads it. */
export const CountryField = Type.String({
  pattern: COUNTRY_CODE,
  description:
    'ISO 3166-1 alpha-2. `UK` is read as `GB`, `EL` as `GR`; a code that no country has, such as `EU`, is refused.',
});

/** A date or a date-time that a caller sends; a date means its midnight UTC. */
export function dateOrInstant(description: string) {
  return Type.String({
    anyOf: [{ format: 'date' }, { format: 'date-time' }],
    description: `${description} A date or a date-time, of the years 1970 to 9999.`,
  });
}

/** An optional query parameter that names any of `words`, comma-separated. */
export const enumList = (words: readonly string[]) =>
  Type.Optional(
    Type.String({ maxLength: 255, description: `Comma-separated, of ${words.join(', ')}.` }),
  );

/** A comma-separated parameter as the words that it may name; null without one. @throws validation_error */
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

/** `tld` of a list. */
export const TldFilter = Type.Optional(
  Type.String({ maxLength: 255, description: 'Only this suffix: `com`.' }),
);

/** The suffix to filter by as A-labels; null for all. @throws validation_error */
export function parseTldFilter(text: string | undefined): string | null {
  if (text === undefined) return null;
  const tld = parseTld(text);
  if (tld !== undefined) return tld;
  throw invalid([{ path: '/tld', message: 'must be a suffix such as com or co.uk' }]);
}
