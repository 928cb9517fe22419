import { domainToASCII } from 'node:url';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';
import type { DateRules } from './known-registries.ts';

/** Placeholders that registries use for unpublished values. */
const PLACEHOLDER =
  /^(?:[-.*_\s]*|n\/?a|none|null|undefined|private|redacted.*|(?:gdpr|data) (?:redacted|protected|masked).*|masked.*|not (?:available|disclosed|applicable|published|shown|provided).*|no data.*|statutory masking.*|non-public data.*|registration private|hidden (?:upon|by).*|withheld$|personal data.*|datos privados|privado|not disclosed.*)$/i;

const MAX_TEXT = 500;

/** Returns a field's text, trimmed and on one line; null if nothing is published. */
export function publishedText(value: unknown): string | null {
  if (typeof value === 'number') return publishedText(String(value));
  if (typeof value !== 'string') return null;
  const text = value
    .slice(0, 4 * MAX_TEXT)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_TEXT)
    // Half a surrogate pair, from the server or from our cut.
    .replace(/\p{Cs}/gu, '');
  return PLACEHOLDER.test(text) ? null : text;
}

const HOST = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}$/;

/** Returns a host name as A-labels in lower case, without a final dot; null if it is not one. */
export function hostName(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 1_000) return null;
  const text = value.trim().replace(/\.$/, '').toLowerCase();
  const ascii = HOST.test(text) ? text : domainToASCII(text);
  return HOST.test(ascii) ? ascii : null;
}

/** Returns a status as in RDAP (RFC 8056): `clientHold https://icann.org/epp#clientHold` is `client hold`. */
export function rdapStatus(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const [text = ''] = value
    .trim()
    .slice(0, 200)
    .split(/\s*\(?https?:/);
  const words = text
    .replace(/\.$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_\s]+/g, ' ')
    .toLowerCase()
    .trim();
  if (words === '' || !/^[a-z][a-z /-]{0,63}$/.test(words)) return null;
  if (words === 'ok') return 'active';
  return words === 'linked' ? 'associated' : words;
}

let codesByName: ReadonlyMap<string, string> | undefined;

/** Returns an ISO 3166-1 alpha-2 code from a code or an English name. Replaced codes become their current ones. */
export function countryCode(value: unknown): string | null {
  const text = publishedText(value)?.toUpperCase();
  if (text === undefined) return null;
  codesByName ??= namesOfCountries();
  return codesByName.get(/^[A-Z]{2}$/.test(text) ? currentCode(text) : text) ?? null;
}

/** `UK` is `GB`, `DD` is `DE`. */
const currentCode = (code: string): string => new Intl.Locale(`und-${code}`).region ?? code;

/** Unicode regions that are not countries. */
const NO_COUNTRIES = new Set(['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ']);

/** Maps country names and codes to codes. */
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

/** Returns up to `most` of the non-null values, in order, without duplicates. */
export function distinct(values: readonly (string | null)[], most: number): string[] {
  return [...new Set(values.filter((value) => value !== null))].slice(0, most);
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const TIME = String.raw`(?:(?:T|\s+)(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<seconds>\d{2})(?:[.,]\d+)?)?)?`;
const ZONE = String.raw`\s*\(?(?<zone>(?:UTC|GMT)?\s*[+-]\d{1,2}(?::?\d{2})?(?![\d:])|[A-Z]{1,4}(?![\w+-]))?`;

/** The date formats of registries; any text may follow the date. */
const SHAPES = [
  String.raw`(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})`,
  String.raw`(?<year>\d{4})\. (?<month>\d{1,2})\. (?<day>\d{1,2})`,
  String.raw`(?<year>\d{4})[-\s](?<name>[a-z]{3,9})[-\s](?<day>\d{1,2})`,
  String.raw`(?<year>(?:19|20)\d{2})(?<month>\d{2})(?<day>\d{2})`,
  String.raw`(?:[a-z]{3,9},?\s+)?(?<day>\d{1,2})(?:st|nd|rd|th)?[-/.\s](?<name>[a-z]{3,9})[-/.\s](?<year>\d{4})`,
  String.raw`(?<first>\d{1,2})[-/.](?<second>\d{1,2})[-/.](?<year>\d{4})`,
  String.raw`(?:[a-z]{3,9},?\s+)?(?<name>[a-z]{3,9})\s+(?<day>\d{1,2}),?\s+(?<year>\d{4})`,
].map((date) => new RegExp(`^${date}(?!\\d)${TIME}${ZONE}`, 'i'));

/** `Fri Jan  2 10:00:00 2026`, the format of C's asctime. */
const ASCTIME = new RegExp(
  String.raw`^[a-z]{3}\s+(?<name>[a-z]{3})\s+(?<day>\d{1,2})${TIME}${ZONE}\s+(?<year>\d{4})`,
  'i',
);

/** Hours ahead of UTC, for unambiguous time zone abbreviations. */
const ZONES: Readonly<Record<string, number>> = {
  Z: 0,
  UTC: 0,
  GMT: 0,
  CET: 1,
  CEST: 2,
  EET: 2,
  EEST: 3,
  WAT: 1,
  EAT: 3,
  SAST: 2,
  HKT: 8,
  SGT: 8,
  JST: 9,
  KST: 9,
  NZST: 12,
  NZDT: 13,
};

/**
 * Parses a registry's date. A day without a time, or at midnight, is that day in UTC. Any other time needs an offset,
 * its own or that of the registry's `rules`. Returns null without one, or if the text is not a date.
 */
export function publishedDate(value: unknown, rules: DateRules = {}): Date | null {
  if (typeof value !== 'string') return null;
  const text = value.slice(0, 100).trim();
  for (const shape of [...SHAPES, ASCTIME]) {
    const parts = shape.exec(text)?.groups;
    if (parts) return instantOf(parts, rules);
  }
  return null;
}

function instantOf(parts: Record<string, string | undefined>, rules: DateRules): Date | null {
  const [first, second] = [parts.first, parts.second];
  const [dayText, monthText] = rules.monthFirst ? [second, first] : [first, second];
  const day = Number(parts.day ?? dayText);
  const month = parts.name
    ? MONTHS.indexOf(parts.name.slice(0, 3).toLowerCase())
    : Number(parts.month ?? monthText) - 1;
  const year = Number(parts.year);
  const time = [parts.hour, parts.minute, parts.seconds].map((part) => Number(part ?? 0));
  const [hour = 0, minute = 0, seconds = 0] = time;
  const midnight = new Date(Date.UTC(year, month, day));
  const isReal =
    year >= 1980 &&
    year <= 2200 &&
    midnight.getUTCMonth() === month &&
    midnight.getUTCDate() === day &&
    hour < 25 &&
    minute < 60 &&
    seconds < 61;
  if (!isReal) return null;
  const local = midnight.getTime() + hour * HOUR + minute * MINUTE + seconds * SECOND;
  const offset = offsetMs(parts.zone) ?? (rules.zone && parts.hour && zoneMs(rules.zone, local));
  if (offset !== undefined && offset !== '') return new Date(local - offset);
  return time.every((part) => part === 0) ? midnight : null;
}

/** Parses `+03`, `GMT+0:00`, `JST`; undefined if it can't. */
function offsetMs(zone: string | undefined): number | undefined {
  const text = (zone ?? '').toUpperCase();
  const [, sign, hours, minutes = '0'] = /([+-])(\d{1,2}):?(\d{2})?$/.exec(text) ?? [];
  if (sign !== undefined) {
    if (Number(hours) > 14 || Number(minutes) > 59) return undefined;
    return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * MINUTE);
  }
  const ahead = ZONES[text];
  return ahead === undefined ? undefined : ahead * HOUR;
}

/** Returns the offset of an IANA time zone from UTC, in milliseconds, at a local time. */
function zoneMs(zone: string, local: number): number {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  const aheadAt = (instant: number) => {
    const part = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName');
    return offsetMs(part?.value) ?? 0;
  };
  return aheadAt(local - aheadAt(local));
}
