import { domainToASCII } from 'node:url';
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

/** A field of a WHOIS answer; labels are in lower case and without punctuation at their end. */
export interface WhoisField {
  /** The heading above it, empty when there is none. */
  section: string;
  label: string;
  value: string;
}

const MAX_FIELD_LINES = 5_000;
const COMMENT = /^\s*(?:%|#|;|>>>|--|\*)/;
const PAIR = /^(\s*)([^:\s[][^:[]{0,60}?)[.\s]*:(?!\/\/)\s*(.*)$/;
/** JPRS writes `[Domain Name]  EXAMPLE.JP` and `p. [Name Server]  ns1.example.jp`. */
const BRACKETED = /^(\s*)(?:[a-z]\.\s*)?\[([^\]]{1,60})\]\s*(.*)$/;

/**
 * The fields of an answer in any of the layouts that registries use: `Label: value`, dotted leaders, brackets,
 * and headings with values or further fields indented below them.
 */
export function whoisFields(text: string): WhoisField[] {
  const fields: WhoisField[] = [];
  let section = '';
  let sectionIndent = -1;
  for (const line of text.split(/\r\n|\n|\r/, MAX_FIELD_LINES)) {
    if (line.trim() === '' || COMMENT.test(line)) continue;
    const expanded = line.replace(/\t/g, '        ').slice(0, 1_000);
    const indent = expanded.length - expanded.trimStart().length;
    if (indent <= sectionIndent) {
      section = '';
      sectionIndent = -1;
    }
    const [, , label, value = ''] = BRACKETED.exec(expanded) ?? PAIR.exec(expanded) ?? [];
    if (label === undefined || isHostLine(label)) {
      // Under a heading it is a value; elsewhere it is a heading itself, or prose that nobody asks for.
      if (sectionIndent >= 0) fields.push({ section: '', label: section, value: expanded.trim() });
      else [section, sectionIndent] = [cleanLabel(expanded), indent];
    } else if (value.trim() === '') {
      [section, sectionIndent] = [cleanLabel(label), indent];
    } else {
      fields.push({ section, label: cleanLabel(label), value: value.trim() });
    }
  }
  return fields;
}

/** `ns1.example.com 2001:db8::1` has a colon, but no label. */
const isHostLine = (label: string): boolean => /^\S+\.\S+\s+\S/.test(label.trim());

const cleanLabel = (label: string): string =>
  label
    .trim()
    .replace(/[.:\s]+$/, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();

/** What a WHOIS server says when it has no such name; a line must begin so, behind comment signs. */
const NO_SUCH_NAME = [
  /^no match/,
  /^no matching record/,
  /^no (?:data|entries|objects?|records?|information)\b.{0,200}\bfound/,
  /^no such domain/,
  /^(?:object[_ ])?not found/,
  /^no_se_encontro_el_objeto/,
  /^nothing found/,
  /^not registered/,
  /^available\.?$/,
  /^(?:domain |registration )?status:\s*(?:free|available|not registered|no object found)\b/,
  /^query_status:\s*220\b/,
  /^(?:the |this )?(?:queried |requested )?(?:object|domain)\b.{0,100}\b(?:does not exist|(?:was |is )?not found|cannot be found|(?:is|has) not (?:been )?registered|is free|is available)/,
  /^we do not have an entry in our database matching your query/,
  /^\S{1,253} (?:is free|is available|is not registered|not found|was not found)\b/,
  /^.{0,100}\bis available for (?:registration|purchase)/,
];

/** What it says when it does not want to be asked any more. */
const REFUSAL = [
  /limit exceeded/,
  /quota (?:has been )?exceeded/,
  /exceeded.{0,60}(?:quer|limit|quota|request|connection|lookup)/,
  /(?:queries|requests|lookups|connections)\b.{0,60}\bexceeded/,
  /too many (?:quer|request|connection|lookup)/,
  /rate[ -]?limit/,
  /request.{0,40} not permitted/,
  /(?:your|this) (?:ip|address|client|host)\b.{0,60}(?:blocked|banned|blacklisted|denied|not permitted)/,
  /access (?:is )?denied/,
  /(?:please )?(?:try|retry) again (?:later|in)/,
];

/** Refusals are short; a record's small print may speak of limits, too. */
const LONGEST_REFUSAL = 4_096;
const MAX_VERDICT_LINES = 300;

/** What an answer without a record means. */
export function classifyWhoisReply(text: string): 'unregistered' | 'busy' | 'unreadable' {
  const lines = text
    .toLowerCase()
    .split(/\r\n|\n|\r/, MAX_VERDICT_LINES)
    .map((line) => line.replace(/^[\s%#*;>"'-]+(?:error:\d+:\s*)?/, '').slice(0, 300));
  if (lines.some((line) => NO_SUCH_NAME.some((phrase) => phrase.test(line)))) return 'unregistered';
  const refused = lines.some((line) => REFUSAL.some((phrase) => phrase.test(line)));
  return refused && text.length <= LONGEST_REFUSAL ? 'busy' : 'unreadable';
}
