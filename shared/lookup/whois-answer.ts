import { domainToASCII } from 'node:url';
import type { RegistryRecord } from './lookup.ts';
import { publishedDate } from './published-date.ts';
import { countryCode, distinct, hostName, publishedText, rdapStatus } from './published-text.ts';
import { ianaId, publishedRegistrant } from './rdap-answer.ts';
import { type WhoisField, whoisFields } from './whois-lines.ts';
import { classifyWhoisReply } from './whois-verdict.ts';

/** What a WHOIS answer says: a record, that there is none, to come later, or nothing that we can read. */
export type WhoisReading = RegistryRecord | 'unregistered' | 'busy' | 'unreadable';

/** Under which labels registries print a field, the most telling ones first. */
const LABELS = {
  domain: ['domain name', 'domain', 'complete domain name', 'domain name (utf8)'],
  registrar: [
    'registrar organization',
    'registrar name',
    'registrar',
    'sponsoring registrar',
    'sponsoring registrar organization',
    'current registrar',
    'registrar company',
  ],
  ianaId: ['registrar iana id', 'sponsoring registrar iana id'],
  registrant: ['registrant name', 'registrant contact name', 'registrant'],
  organization: [
    'registrant organization',
    'registrant organisation',
    'registrant contact organization',
    'registrant company',
  ],
  country: [
    'registrant country',
    'registrant country/economy',
    'registrant contact country',
    'registrant country code',
  ],
  created: [
    'creation date',
    'created date',
    'created on',
    'created',
    'registered on',
    'registered date',
    'registration date',
    'registration time',
    'domain registration date',
    'record created',
    'registered',
  ],
  updated: [
    'updated date',
    'last updated',
    'last updated on',
    'last updated date',
    'last update',
    'last-update',
    'last modified',
    'modification date',
    'changed',
    'modified',
    'updated',
  ],
  expires: [
    'registry expiry date',
    'registrar registration expiration date',
    'expiry date',
    'expiration date',
    'expiration time',
    'expires on',
    'expires',
    'expire date',
    'expire',
    'renewal date',
    'paid-till',
    'valid until',
  ],
  nameserver: [
    'name server',
    'name servers',
    'nameserver',
    'nameservers',
    'nserver',
    'domain nameservers',
    'domain servers in listed order',
    'name servers dns',
    'dns',
  ],
  status: ['domain status', 'status', 'eppstatus', 'registration status', 'state'],
  dnssec: ['dnssec', 'dnssec signed', 'dnssec status'],
} as const;

/** Reads what a WHOIS server answered about `domain`; the formats are as many as the registries. */
export function readWhois(domain: string, text: string): WhoisReading {
  const fields = whoisFields(text);
  const values = (field: keyof typeof LABELS) => valuesUnder(fields, LABELS[field]);
  const [named] = values('domain');
  const first = <T>(field: keyof typeof LABELS, read: (value: string) => T | null): T | null => {
    for (const value of values(field)) {
      const found = read(value);
      if (found !== null) return found;
    }
    return null;
  };
  const registrar = { name: first('registrar', registrarName), ianaId: first('ianaId', ianaId) };
  const record: RegistryRecord = {
    domain,
    registered: true,
    source: 'whois',
    registrar: registrar.name === null && registrar.ianaId === null ? null : registrar,
    registrant: publishedRegistrant({
      name: first('registrant', registrantName),
      organization: first('organization', publishedText),
      country: first('country', countryCode),
    }),
    dates: {
      created: first('created', publishedDate),
      updated: first('updated', publishedDate),
      expires: first('expires', publishedDate),
    },
    nameservers: distinct(
      values('nameserver').map((value) => hostName(value.split(/[\s,]/)[0])),
      50,
    ),
    status: distinct(values('status').map(rdapStatus), 50),
    dnssec: first('dnssec', signed),
  };
  const tells = record.dates.created ?? record.registrar ?? record.nameservers[0];
  const isItsRecord = tells !== undefined && tells !== null && (!named || isName(named, domain));
  return isItsRecord ? record : classifyWhoisReply(text);
}

/** All values under the first of the labels that has any. */
function valuesUnder(fields: readonly WhoisField[], labels: readonly string[]): string[] {
  for (const wanted of labels) {
    const found = fields.filter(
      ({ section, label }) =>
        (label === wanted && !foreignSection(section, wanted)) || `${section} ${label}` === wanted,
    );
    if (found.length > 0) return found.map(({ value }) => value);
  }
  return [];
}

/** Below the heading of a contact, `Created` and `Status` are the contact's own. */
function foreignSection(section: string, wanted: string): boolean {
  return (
    /contact|^registrant$|^admin|^tech|^billing|^holder/.test(section) &&
    !wanted.startsWith('registrant')
  );
}

function isName(text: string, domain: string): boolean {
  const [name = ''] = text.split(/[\s(]/);
  return domainToASCII(name.replace(/\.$/, '')) === domain;
}

/** Nominet and others put a tag behind the name: `Example Ltd t/a Example [Tag = EXAMPLE]`. */
function registrarName(value: string): string | null {
  return publishedText(value.replace(/\s*\[Tag = [^\]]*\]\s*$/i, ''));
}

/** Where people are told apart from their handles, a handle is no name. */
function registrantName(value: string): string | null {
  return /^[a-z0-9]+-[a-z0-9-]+$/i.test(value) ? null : publishedText(value);
}

function signed(value: string): boolean | null {
  if (/^(?:un-?signed|no|none|inactive|off|disabled|not signed)/i.test(value)) return false;
  return /^(?:signed|yes|active|on|enabled)/i.test(value) ? true : null;
}
