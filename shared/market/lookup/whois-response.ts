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

/** What a WHOIS answer says: a record, that there is none, to come later, or nothing that we can read. */
export type WhoisReading = RegistryRecord | 'unregistered' | 'busy' | 'unreadable';

/**
 * Reads what a WHOIS server answered about `domain`; the formats are as many as the registries. A refusal is
 * one whatever else the answer holds, and only an answer without a trace of a record says that a name is free.
 */
export function readWhois(domain: string, text: string): WhoisReading {
  if (refusalWaitMs(text) !== undefined) return 'busy';
  // What is not read to its end may end in a refusal.
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

/** Whether there is anything that only a registered name has. */
function holdsTrace({ registrar, registrant, nameservers }: RegistryRecord): boolean {
  return registrar !== null || registrant !== null || nameservers.length > 0;
}

const DATES = ['created', 'expires'] as const;
/** Of a time that can't be told for want of an offset it is still known that there is one. */
const isDate = (value: string): boolean => /\d{4}|\d[-/.]\d/.test(value);

const IN_USE =
  /^(?:active|activo|connect(?:ed)?|registered|delegated|published|live|granted|not available|locked|suspended|quarantine|in quarantine|out of service|to be released|expired|(?:client|server|pending|redemption|auto renew) .+)$/;

function inUse({ status, dates }: RegistryRecord): boolean {
  return dates.updated !== null || status.some((each) => IN_USE.test(each));
}

/** Told of a domain and, in the same words, of other objects. */
const OWN_WORDS: ReadonlySet<Field> = new Set([
  'created',
  'updated',
  'expires',
  'status',
  'domain',
]);
/** Headings and objects that are not of the domain itself. */
const OTHER_OBJECT =
  /contact|^(?:registrant|registrar|owner|holder|person|personname|role|nic hdl|nic hdl br|nsset|keyset|ns list|nserver|mntner|name ?servers?|whois)$|^(?:admin|tech|billing)\w*$|^organization using/;
/** All of them count, whichever label they stand under. */
const LISTS: ReadonlySet<Field> = new Set(['nameserver', 'status']);

/** The values of a field: those under the first label that has any, of a list those under every label. */
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

/** The host in `ns1.host.example 192.0.2.1` and in `shop.pt NS ns1.host.example.`; the name is no server of its own. */
function nameserversIn(value: string, domain: string): string[] {
  const hosts = value.split(/[\s,]+/, 100).map(hostName);
  return hosts.filter((host) => host !== null && host !== domain && isServer(host)) as string[];
}

/** No addresses, nor what stands for none in `.uz`, nor the handles of hosts in `.my`. */
const isServer = (host: string): boolean =>
  /[a-z]/.test(host) && host !== 'not.defined' && !host.endsWith('.ser');

/** `clientHold - remark`, `ok (paid and in zone)`, `200 Active`. */
function statusWords(value: string): string | null {
  const [words = ''] = value.replace(/^\d+ /, '').split(/ -|\(/);
  return rdapStatus(words);
}

/** Behind the name may be a tag, a handle or an address: `Example Ltd [Tag = EXAMPLE]`, `Example (R1-EX)`. */
function registrarName(value: string): string | null {
  return publishedText(
    value
      .replace(/\s*\[Tag = [^\]]*\]\s*$/i, '')
      .replace(/\s*\(\s*(?:https?:\/\/[^)]*|R?\d+(?:-[A-Z]+)?)\s*\)\s*$/, ''),
  );
}

/** Where people are told apart from their handles, a handle is no name. */
function registrantName(value: string): string | null {
  return /^[a-z0-9]+-[a-z0-9-]+$/i.test(value) ? null : publishedText(value);
}

function signed(value: string): boolean | null {
  if (/^(?:un-?signed|none|no?$|inactive|off|disabled|not signed)/i.test(value)) return false;
  return /^(?:signed|yes|y$|active|on|enabled)/i.test(value) ? true : null;
}
