import { HOUR, MINUTE } from '../platform/clock.ts';

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
