import { domainToASCII } from 'node:url';
import { HOUR, MINUTE } from '../../platform/clock.ts';

/** What registries write where they publish nothing. */
const PLACEHOLDER =
  /^(?:[-.*_\s]*|n\/?a|none|null|undefined|private|redacted.*|(?:gdpr|data) (?:redacted|protected|masked).*|masked.*|not (?:available|disclosed|applicable|published|shown|provided).*|no data.*|statutory masking.*|non-public data.*|registration private|hidden (?:upon|by).*|withheld$|personal data.*|datos privados|privado|not disclosed.*)$/i;

const MAX_TEXT = 500;

/** The text of a field, trimmed and of one line; null when nothing is published there. */
export function publishedText(value: unknown): string | null {
  if (typeof value === 'number') return publishedText(String(value));
  if (typeof value !== 'string') return null;
  const text = value
    .slice(0, 4 * MAX_TEXT)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_TEXT)
    // Half a character, sent so or cut so.
    .replace(/\p{Cs}/gu, '');
  return PLACEHOLDER.test(text) ? null : text;
}

const HOST = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}$/;

/** A host name as A-labels in lower case, without a final dot; null when it is none. */
export function hostName(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 1_000) return null;
  const text = value.trim().replace(/\.$/, '').toLowerCase();
  const ascii = HOST.test(text) ? text : domainToASCII(text);
  return HOST.test(ascii) ? ascii : null;
}

/** A status in the words of RDAP (RFC 8056): `clientHold https://icann.org/epp#clientHold` is `client hold`. */
export function rdapStatus(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const [text = ''] = value
    .trim()
    .slice(0, 200)
    .split(/\s*\(?https?:/);
  const words = text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_\s]+/g, ' ')
    .toLowerCase()
    .trim();
  if (words === '' || !/^[a-z][a-z /-]{0,63}$/.test(words)) return null;
  if (words === 'ok') return 'active';
  return words === 'linked' ? 'associated' : words;
}

let codesByName: ReadonlyMap<string, string> | undefined;

/** An ISO 3166-1 alpha-2 code, from a code or an English name; codes that were replaced become today's. */
export function countryCode(value: unknown): string | null {
  const text = publishedText(value)?.toUpperCase();
  if (text === undefined) return null;
  codesByName ??= namesOfCountries();
  return codesByName.get(/^[A-Z]{2}$/.test(text) ? currentCode(text) : text) ?? null;
}

/** `UK` is `GB`, `DD` is `DE`. */
const currentCode = (code: string): string => new Intl.Locale(`und-${code}`).region ?? code;

/** What Unicode adds to the countries. */
const NO_COUNTRIES = new Set(['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ']);

/** The codes of countries by their names, and by themselves. */
function namesOfCountries(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const found = new Map<string, string>();
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    const name = names.of(code)?.toUpperCase();
    if (name === undefined || currentCode(code) !== code || NO_COUNTRIES.has(code)) continue;
    found.set(name, code).set(code, code);
  }
  return found;
}

/** The values that are there, each once, in their order, and not without end. */
export function distinct(values: readonly (string | null)[], most: number): string[] {
  return [...new Set(values.filter((value) => value !== null))].slice(0, most);
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const TIME = String.raw`(?:[T\s]+(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.\d+)?)?)?`;
const ZONE = String.raw`\s*\(?(?<zone>Z|UTC|GMT|JST|[+-]\d{2}:?\d{2})?`;

/** The ways in which registries write a date; behind it may be remarks of any kind. */
const SHAPES = [
  String.raw`(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})`,
  String.raw`(?<year>\d{4})[-\s](?<name>[a-z]{3,9})[-\s](?<day>\d{1,2})`,
  String.raw`(?<year>(?:19|20)\d{2})(?<month>\d{2})(?<day>\d{2})`,
  String.raw`(?<day>\d{1,2})[-/.\s](?<name>[a-z]{3,9})[-/.\s](?<year>\d{4})`,
  String.raw`(?<day>\d{1,2})[-/.](?<month>\d{1,2})[-/.](?<year>\d{4})`,
  String.raw`(?:[a-z]{3,9},?\s+)?(?<name>[a-z]{3,9})\s+(?<day>\d{1,2}),?\s+(?<year>\d{4})`,
].map((date) => new RegExp(`^${date}(?!\\d)${TIME}${ZONE}`, 'i'));

/** `Fri Jan  2 10:00:00 2026`, the way of C's asctime. */
const ASCTIME = new RegExp(
  String.raw`^[a-z]{3}\s+(?<name>[a-z]{3})\s+(?<day>\d{1,2})${TIME}${ZONE}\s+(?<year>\d{4})`,
  'i',
);

/**
 * The instant that a registry means; without a zone it is taken as UTC, without a time as midnight, and a day
 * comes before its month. Null when it can't be one.
 */
export function publishedDate(value: unknown): Date | null {
  if (typeof value !== 'string') return null;
  const text = value.slice(0, 100).trim();
  for (const shape of [...SHAPES, ASCTIME]) {
    const parts = shape.exec(text)?.groups;
    if (parts) return instantOf(parts);
  }
  return null;
}

function instantOf(parts: Record<string, string | undefined>): Date | null {
  const year = Number(parts.year);
  const month = parts.name ? MONTHS.indexOf(parts.name.slice(0, 3).toLowerCase()) : monthOf(parts);
  const day = Number(parts.day);
  const [hour, minute, second] = [parts.hour, parts.minute, parts.second].map((part) =>
    Number(part ?? 0),
  ) as [number, number, number];
  const at = new Date(Date.UTC(year, month, day, hour, minute, second) - offsetMs(parts.zone));
  const real =
    year >= 1980 &&
    year <= 2200 &&
    month >= 0 &&
    new Date(Date.UTC(year, month, day)).getUTCDate() === day;
  return real && hour < 25 && minute < 60 && second < 61 ? at : null;
}

const monthOf = ({ month }: Record<string, string | undefined>): number => {
  const number = Number(month);
  return number >= 1 && number <= 12 ? number - 1 : -1;
};

function offsetMs(zone: string | undefined): number {
  if (zone?.toUpperCase() === 'JST') return 9 * HOUR;
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? '') ?? [];
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE;
}
