import { isIP } from 'node:net';
import { DAY } from '../clock.ts';
import { readCountry } from '../countries.ts';

const ADDRESS_BITS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

/**
 * One environment variable: its name, its default, how to parse it, and its text in `docs/configuration.md`
 * (`npm run docs` writes it there).
 */
export interface Variable<T> {
  name: string;
  fallback: T;
  doc: string;
  /** @throws Error with a message that says what is wrong with the text */
  parse(text: string): T;
}

/** A group of variables, as `docs/configuration.md` shows it. */
export interface Section {
  title: string;
  /** Further reading or notes, as Markdown. */
  about?: string;
  /** Keyed by the names in `Config`. */
  variables: Readonly<Record<string, Variable<unknown>>>;
}

/** A whole number. */
export function integer(
  name: string,
  fallback: number,
  doc: string,
  min = 0,
  max = 2_147_483_647,
): Variable<number> {
  return {
    name,
    fallback,
    doc,
    parse(text) {
      const value = Number(text);
      if (!/^\d+$/.test(text) || value < min || value > max) {
        throw new Error(`must be a whole number from ${min} to ${max}`);
      }
      return value;
    },
  };
}

/** Any text. */
export function text(name: string, fallback: string, doc: string): Variable<string> {
  return { name, fallback, doc, parse: (value) => value };
}

/** One of a few words. */
export function oneOf<const T extends string>(
  name: string,
  values: readonly T[],
  fallback: T,
  doc: string,
): Variable<T> {
  const choice = values.filter((value) => value !== '').join(', ');
  return {
    name,
    fallback,
    doc: `${doc} One of ${choice}.`,
    parse(value) {
      const found = values.find((candidate) => candidate === value);
      if (found === undefined) throw new Error(`must be one of ${choice}`);
      return found;
    },
  };
}

/** A comma-separated list of words. */
export function list(
  name: string,
  fallback: readonly string[],
  doc: string,
): Variable<readonly string[]> {
  return {
    name,
    fallback,
    doc,
    parse: (value) =>
      value
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
  };
}

/** A comma-separated list of rates by country, given in percent and returned in basis points. */
export function ratesByCountry(
  name: string,
  doc: string,
): Variable<Readonly<Record<string, number>>> {
  return {
    name,
    fallback: {},
    doc,
    parse: (value) =>
      Object.fromEntries(
        value.split(',').map((part) => {
          const [, country, percent] =
            /^\s*([A-Z]{2})=(\d{1,2}(?:\.\d{1,2})?)\s*$/.exec(part) ?? [];
          if (!country) throw new Error('must be rates in percent such as DE=19,FR=20');
          return [knownCountry(country), Math.round(Number(percent) * 100)];
        }),
      ),
  };
}

/** An ISO 3166-1 alpha-2 country code. */
export function country(name: string, doc: string): Variable<string> {
  return {
    name,
    fallback: '',
    doc,
    parse: knownCountry,
  };
}

/** A comma-separated list of ISO 3166-1 alpha-2 country codes. */
export function countries(name: string, doc: string): Variable<readonly string[]> {
  const words = list(name, [], doc);
  return { ...words, parse: (value) => words.parse(value).map(knownCountry) };
}

function knownCountry(code: string): string {
  const known = readCountry(code);
  if (known !== undefined) return known;
  throw new Error(`must have country codes of ISO 3166-1 such as DE; ${code} is none`);
}

/** A comma-separated list of domain suffixes as A-labels; at least one. */
export function suffixes(
  name: string,
  fallback: readonly string[],
  doc: string,
): Variable<readonly string[]> {
  const words = list(name, fallback, doc);
  return {
    ...words,
    parse(value) {
      const read = words.parse(value);
      if (read.length === 0 || !read.every((word) => /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(word))) {
        throw new Error('must be suffixes such as com,co.uk,xn--p1ai');
      }
      return read;
    },
  };
}

/** Trusted proxies: how many, or their addresses and networks, in the format of Express's `trust proxy`. */
export function proxies(name: string, doc: string): Variable<string> {
  const named = new Set(['loopback', 'linklocal', 'uniquelocal']);
  const isNetwork = (text: string) => {
    const [address = '', bits, ...rest] = text.split('/');
    const version = isIP(address);
    if (version === 0 || rest.length > 0) return false;
    return (
      bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (ADDRESS_BITS[version] ?? 0))
    );
  };
  return {
    name,
    fallback: '',
    doc,
    parse(value) {
      const parts = value.split(',').map((part) => part.trim());
      const known = parts.every((part) => named.has(part) || isNetwork(part));
      if (!known && !/^\d$/.test(value)) {
        throw new Error(
          'must be the number of proxies in front (0 to 9), or their addresses and networks such as 10.0.0.0/8, comma-separated',
        );
      }
      return parts.join(',');
    },
  };
}

/** A comma-separated list of durations in milliseconds. */
export function durations(
  name: string,
  fallback: readonly number[],
  doc: string,
): Variable<readonly number[]> {
  return {
    name,
    fallback,
    doc,
    parse: (value) =>
      value.split(',').map((part) => {
        if (!/^\d+$/.test(part.trim()))
          throw new Error('must be milliseconds, separated by commas');
        return Number(part);
      }),
  };
}

/** The URL of one of our pages; `placeholder` must come after the host, so that its value can't change the host. */
export function pageUrl(name: string, placeholder: string, doc: string): Variable<string> {
  const pattern = /^https?:\/\/[^\s/?#{}]+[/?#]\S*$/;
  return {
    name,
    fallback: '',
    doc,
    parse(value) {
      if (!pattern.test(value)) {
        throw new Error('must be an http or https address with at least a / behind the host');
      }
      if (!value.includes(placeholder)) throw new Error(`must contain ${placeholder}`);
      return value;
    },
  };
}

/** A limit per minute; at least 1. */
export const perMinute = (name: string, fallback: number, what: string) =>
  integer(name, fallback, what, 1);
/** A duration in milliseconds, up to a year. */
export const ms = (name: string, fallback: number, doc: string, min = 0) =>
  integer(name, fallback, doc, min, 365 * DAY);

/** A Postgres URL. Errors do not quote it: it may contain a password. */
export function postgresAddress(name: string, fallback: string, doc: string): Variable<string> {
  return {
    name,
    fallback,
    doc,
    parse(value) {
      if (!URL.canParse(value) || !/^postgres(ql)?:$/.test(new URL(value).protocol)) {
        throw new Error('must be an address such as postgres://user:password@host:5432/database');
      }
      return value;
    },
  };
}

/** Redis URLs: one server, or several nodes of one cluster. A cluster has no numbered databases. */
export function redisAddresses(name: string, fallback: string, doc: string): Variable<string> {
  return {
    name,
    fallback,
    doc,
    parse(value) {
      const nodes = value.split(',').map((node) => node.trim());
      const wrong = nodes.findIndex((node) => !isRedisAddress(node));
      if (wrong >= 0) {
        const which = nodes.length > 1 ? `; number ${wrong + 1} of ${nodes.length} is none` : '';
        throw new Error(`must be addresses such as redis://host:6379, comma-separated${which}`);
      }
      const urls = nodes.map((node) => new URL(node));
      if (new Set(urls.map(({ protocol }) => protocol)).size > 1) {
        throw new Error('must be redis:// for every node, or rediss:// for every one');
      }
      if (urls.length > 1 && urls.some(({ pathname }) => !['', '/', '/0'].includes(pathname))) {
        throw new Error('must name no database where there are several');
      }
      return nodes.join(',');
    },
  };
}

function isRedisAddress(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return /^rediss?:$/.test(protocol) && hostname !== '';
}

/** The URL of an SMTP server, or `none`. Errors do not quote it: it may contain a password. */
export function smtpAddress(name: string, doc: string): Variable<string> {
  return {
    name,
    fallback: '',
    doc,
    parse(value) {
      if (value === 'none') return value;
      const url = URL.canParse(value) ? new URL(value) : undefined;
      if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
        throw new Error('must be an address such as smtps://user:password@host:465');
      }
      if (!['', '?tls=required'].includes(url.search)) {
        throw new Error('takes no parameter but ?tls=required');
      }
      return value;
    },
  };
}

const ADDRESS = String.raw`[^\s<>@,;]+@[^\s<>@,;]+`;
const QUOTED = String.raw`"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*"`;
const MAILBOX = new RegExp(
  String.raw`^(?:(?:${QUOTED}\s*|[^<>"\p{Cc}]*)<${ADDRESS}>|${ADDRESS})$`,
  'u',
);

/** A mailbox, `mail@example.com` or `Example Domains <mail@example.com>`; the name may be quoted (RFC 5322). */
export function mailbox(name: string, doc: string): Variable<string> {
  return {
    name,
    fallback: '',
    doc,
    parse(value) {
      if (!MAILBOX.test(value)) {
        throw new Error('must be an address such as Example Domains <mail@example.com>');
      }
      return value;
    },
  };
}
