import { createHash } from 'node:crypto';
import { iso31661 } from 'iso-3166/1.js';
import { COUNTRY_CODES, readCountry } from '../../platform/countries.ts';
import { foldName, type PartyKind } from './name-form.ts';

/** An entry of a list. */
export interface ListEntry {
  /** The list's own id of the entry, unique in the list. */
  id: string;
  kind: PartyKind;
  name: string;
  /** Other names, also in other scripts. */
  aliases: readonly string[];
  /** `1960`, `1960-05` or `1960-05-17`; several if the list is unsure. */
  birthDates: readonly string[];
  /** The countries of nationality and address, ISO 3166-1 alpha-2; unknown ones are left out. */
  countries: readonly string[];
  programme: string | null;
}

/** Returns a digest of the compared fields of an entry. When it changes, earlier decisions no longer apply. */
export function digestOf({ kind, name, aliases, birthDates, countries }: ListEntry): string {
  const compared = [kind, name, [...aliases].sort(), [...birthDates].sort(), [...countries].sort()];
  return createHash('sha256').update(JSON.stringify(compared)).digest('base64url').slice(0, 22);
}

/** Normalizes an entry's texts and drops empty and duplicate ones. Returns undefined without a name or an id. */
export function tidyEntry(entry: ListEntry): ListEntry | undefined {
  const id = oneLine(entry.id);
  const [name, ...aliases] = unique([entry.name, ...entry.aliases].map(oneLine));
  if (id === '' || name === undefined) return undefined;
  return {
    id,
    kind: entry.kind,
    name,
    aliases,
    birthDates: unique(entry.birthDates.flatMap((date) => readDate(date) ?? [])),
    countries: unique(entry.countries.flatMap((country) => countryNamed(country) ?? [])),
    programme: oneLine(entry.programme ?? '') || null,
  };
}

const unique = (texts: readonly string[]) => [...new Set(texts)].filter((text) => text !== '');
const oneLine = (text: string) =>
  text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 400);

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/** Parses a list's date to its precision: `17 May 1960`, `May 1960`, `circa 1960`, `1960-05-17`. */
function readDate(date: string): string | undefined {
  const iso = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?/.exec(date.trim());
  if (iso) return iso[0];
  const said = /(?:(\d{1,2}) )?(?:([a-z]{3})[a-z]* )?(\d{4})/i.exec(date);
  if (!said) return undefined;
  const [, day, month = '', year = ''] = said;
  const number = MONTHS.indexOf(month.toLowerCase()) + 1;
  if (number === 0) return year;
  const upToMonth = `${year}-${String(number).padStart(2, '0')}`;
  return day === undefined ? upToMonth : `${upToMonth}-${day.padStart(2, '0')}`;
}

const ENGLISH = new Intl.DisplayNames('en', { type: 'region' });
/** Other names of countries in lists, besides those in ISO 3166-1 and in everyday English. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  'North Korea': 'KP',
  'Korea North': 'KP',
  'South Korea': 'KR',
  'Korea South': 'KR',
  Burma: 'MM',
  'Ivory Coast': 'CI',
  'West Bank': 'PS',
  'Region Gaza': 'PS',
  Russia: 'RU',
  Czechia: 'CZ',
  Turkey: 'TR',
  'United Kingdom': 'GB',
  'United States': 'US',
};
const CODES: ReadonlyMap<string, string> = new Map([
  ...COUNTRY_CODES.map((code): [string, string] => [foldName(ENGLISH.of(code) ?? code), code]),
  ...iso31661.map(({ name, alpha2 }): [string, string] => [foldName(name), alpha2]),
  ...Object.entries(OTHER_NAMES).map(([name, code]): [string, string] => [foldName(name), code]),
]);

/** Returns the code of a country that a list names by its code or in English. */
function countryNamed(country: string): string | undefined {
  return readCountry(country.trim().toUpperCase()) ?? CODES.get(foldName(country));
}
