import { dateRulesOf } from './known-registries.ts';
import type { RegistryRecord } from './lookup.ts';
import {
  countryCode,
  distinct,
  hostName,
  publishedDate,
  publishedText,
  rdapStatus,
} from './published-fields.ts';
import { ianaId, publishedRegistrant } from './rdap-response.ts';
import { type WhoisField, whoisFields } from './whois-fields.ts';
import { LABELS } from './whois-labels.ts';
import { MAX_WHOIS_LINES, refusalWaitMs, saysHeldBack, saysUnregistered } from './whois-verdict.ts';

/** The meaning of a WHOIS answer: a record, no such name, a request to retry later, or unreadable. */
export type WhoisReading = RegistryRecord | 'unregistered' | 'busy' | 'unreadable';

/**
 * Interprets a WHOIS server's answer about `domain`; every registry has its own format. A refusal counts whatever else
 * the answer contains. A name is available only if the answer has no trace of a record.
 */
export function readWhois(domain: string, text: string): WhoisReading {
  if (refusalWaitMs(text) !== undefined) return 'busy';
  // An answer we don't read to the end may end in a refusal.
  if (text.split(/\r\n|\n|\r/, MAX_WHOIS_LINES + 1).length > MAX_WHOIS_LINES) return 'unreadable';
  const fields = whoisFields(text);
  const values = (field: Field) => valuesOf(fields, field);
  const record = readRecord(domain, values);
  const tells = holdsTrace(record) || DATES.some((field) => values(field).some(isDate));
  const isFree = saysUnregistered(domain, text);
  const named = values('domain').find((value) => hostName(firstWord(value)) !== null);
  if (named === undefined && tells && !isFree) return record;
  if (named !== undefined) {
    if (!isName(named, domain)) return 'unreadable';
    if (tells || inUse(record)) return record;
  }
  if (saysHeldBack(text)) return { ...record, status: ['reserved'] };
  return isFree && !tells ? 'unregistered' : 'unreadable';
}

type Field = keyof typeof LABELS;

function readRecord(domain: string, values: (field: Field) => string[]): RegistryRecord {
  const first = <T>(field: Field, read: (value: string) => T | null): T | null => {
    for (const value of values(field)) {
      const found = read(value);
      if (found !== null) return found;
    }
    return null;
  };
  const dateRules = dateRulesOf(domain);
  const date = (field: Field) => first(field, (value) => publishedDate(value, dateRules));
  const registrar = { name: first('registrar', registrarName), ianaId: first('ianaId', ianaId) };
  return {
    domain,
    registered: true,
    source: 'whois',
    registrar: registrar.name === null && registrar.ianaId === null ? null : registrar,
    registrant: publishedRegistrant({
      name: first('registrant', registrantName),
      organization: first('organization', publishedText),
      country: first('country', countryCode),
    }),
    dates: { created: date('created'), updated: date('updated'), expires: date('expires') },
    nameservers: distinct(
      values('nameserver').flatMap((value) => nameserversIn(value, domain)),
      50,
    ),
    status: distinct(
      values('status').flatMap((value) => value.split(',').map(statusWords)),
      50,
    ),
    dnssec: first('dnssec', signed),
  };
}

/** Returns whether the record has anything that only a registered name has. */
function holdsTrace({ registrar, registrant, nameservers }: RegistryRecord): boolean {
  return registrar !== null || registrant !== null || nameservers.length > 0;
}

const DATES = ['created', 'expires'] as const;
/** Accepts dates that can't be parsed for lack of an offset: they still show that a date exists. */
const isDate = (value: string): boolean => /\d{4}|\d[-/.]\d/.test(value);

const IN_USE =
  /^(?:active|activo|connect(?:ed)?|registered|delegated|published|live|granted|not available|locked|suspended|quarantine|in quarantine|out of service|to be released|expired|(?:client|server|pending|redemption|auto renew) .+)$/;

function inUse({ status, dates }: RegistryRecord): boolean {
  return dates.updated !== null || status.some((each) => IN_USE.test(each));
}

/** Fields whose labels also appear on objects other than the domain. */
const OWN_WORDS: ReadonlySet<Field> = new Set([
  'created',
  'updated',
  'expires',
  'status',
  'domain',
]);
/** Headings and objects that do not describe the domain itself. */
const OTHER_OBJECT =
  /contact|^(?:registrant|registrar|owner|holder|person|personname|role|nic hdl|nic hdl br|nsset|keyset|ns list|nserver|mntner|name ?servers?|whois)$|^(?:admin|tech|billing)\w*$|^organization using/;
/** Fields that collect values from all their labels. */
const LISTS: ReadonlySet<Field> = new Set(['nameserver', 'status']);

/** Returns the values of a field: from the first label that has any or, for a list, from all labels. */
function valuesOf(fields: readonly WhoisField[], field: Field): string[] {
  const found = LABELS[field].map((wanted) =>
    fields
      .filter(
        ({ section, label }) =>
          `${section} ${label}` === wanted ||
          (label === wanted && !(OWN_WORDS.has(field) && OTHER_OBJECT.test(section))),
      )
      .map(({ value }) => value),
  );
  if (LISTS.has(field)) return found.flat();
  return found.find((values) => values.length > 0) ?? [];
}

const isName = (text: string, domain: string): boolean => hostName(firstWord(text)) === domain;

/** `SHOP.TK is Active`, `shop.example (Handle shop)` */
const firstWord = (text: string): string => text.split(/[\s(]/, 1)[0] ?? '';

/** Returns the hosts in `ns1.host.example 192.0.2.1` or `shop.pt NS ns1.host.example.`, without the domain itself. */
function nameserversIn(value: string, domain: string): string[] {
  const hosts = value.split(/[\s,]+/, 100).map(hostName);
  return hosts.filter((host) => host !== null && host !== domain && isServer(host)) as string[];
}

/** Excludes IP addresses, the `.uz` placeholder for no server, and host handles in `.my`. */
const isServer = (host: string): boolean =>
  /[a-z]/.test(host) && host !== 'not.defined' && !host.endsWith('.ser');

/** Reads `clientHold - remark`, `ok (paid and in zone)`, `200 Active`. */
function statusWords(value: string): string | null {
  const [words = ''] = value.replace(/^\d+ /, '').split(/ -|\(/);
  return rdapStatus(words);
}

/** Drops a tag, handle or URL after the name: `Example Ltd [Tag = EXAMPLE]`, `Example (R1-EX)`. */
function registrarName(value: string): string | null {
  return publishedText(
    value
      .replace(/\s*\[Tag = [^\]]*\]\s*$/i, '')
      .replace(/\s*\(\s*(?:https?:\/\/[^)]*|R?\d+(?:-[A-Z]+)?)\s*\)\s*$/, ''),
  );
}

/** Returns null for a contact handle, which is not a name. */
function registrantName(value: string): string | null {
  return /^[a-z0-9]+-[a-z0-9-]+$/i.test(value) ? null : publishedText(value);
}

function signed(value: string): boolean | null {
  if (/^(?:un-?signed|none|no?$|inactive|off|disabled|not signed)/i.test(value)) return false;
  return /^(?:signed|yes|y$|active|on|enabled)/i.test(value) ? true : null;
}
