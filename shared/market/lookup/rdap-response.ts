import type { PublishedRegistrant, RegistrarOfRecord, RegistryRecord } from './lookup.ts';
import {
  countryCode,
  distinct,
  hostName,
  publishedDate,
  publishedText,
  rdapStatus,
} from './published-fields.ts';

/** A parsed RDAP domain object. */
export interface RdapDomain {
  record: RegistryRecord;
  /** URL of the registrar's record, if the registry links one and holds no registrant data. */
  registrarUrl: string | null;
}

const MOST_NAMESERVERS = 50;
const MOST_STATUSES = 50;

/**
 * Parses a server's answer about `domain` (RFC 9083, 5.3). Missing or malformed fields are null or empty. Undefined if
 * it is not a record of that domain.
 */
export function readRdapDomain(domain: string, answer: unknown): RdapDomain | undefined {
  const fields = fieldsOf(answer);
  if (!isAbout(domain, fields)) return undefined;
  const entities = entitiesOf(fields);
  const redactions = readRedactions(fields.redacted);
  const registrant = registrantOf(entities, redactions.registrantFields);
  const eventDate = eventDates(fields.events);
  const record: RegistryRecord = {
    domain,
    registered: true,
    source: 'rdap',
    registrar: registrarOf(entities),
    registrant,
    dates: {
      created: eventDate('registration'),
      updated: eventDate('last changed'),
      expires: eventDate('expiration') ?? eventDate('registrar expiration'),
    },
    nameservers: distinct(
      listOf(fields.nameservers).map((server) => {
        const { ldhName, unicodeName } = fieldsOf(server);
        return hostName(ldhName) ?? hostName(unicodeName);
      }),
      MOST_NAMESERVERS,
    ),
    status: distinct(listOf(fields.status).map(rdapStatus), MOST_STATUSES),
    dnssec: signedOf(fields.secureDNS),
  };
  const told = registrant !== null || redactions.ofRegistrant || byRole(entities, 'registrant');
  return { record, registrarUrl: told ? null : relatedLink(fields.links) };
}

/** A proxy's welcome page or another name's record must not pass as the answer. */
function isAbout(
  domain: string,
  { objectClassName, ldhName, unicodeName }: Record<string, unknown>,
) {
  const kind = typeof objectClassName === 'string' ? objectClassName.toLowerCase() : undefined;
  if (kind !== undefined && kind !== 'domain') return false;
  const names = [ldhName, unicodeName].filter((name) => name !== undefined && name !== null);
  if (names.length === 0) return kind === 'domain';
  return names.some((name) => hostName(name) === domain);
}

interface Entity {
  roles: readonly string[];
  fields: Record<string, unknown>;
}

const MOST_ENTITIES = 200;

/** Returns the entities of the domain and those nested in them, at any depth, outer ones first. */
function entitiesOf(fields: Record<string, unknown>): readonly Entity[] {
  const found: Record<string, unknown>[] = [];
  for (let level = insideOf([fields]); level.length > 0; level = insideOf(level)) {
    found.push(...level.slice(0, MOST_ENTITIES - found.length));
    if (found.length >= MOST_ENTITIES) break;
  }
  return found.map((entity) => ({
    roles: (Array.isArray(entity.roles) ? entity.roles : [entity.roles])
      .filter((role) => typeof role === 'string')
      .map((role) => role.toLowerCase()),
    fields: entity,
  }));
}

const insideOf = (level: readonly Record<string, unknown>[]) =>
  level.flatMap(({ entities }) => oneOrMany(entities).slice(0, 50).map(fieldsOf));

const byRole = (entities: readonly Entity[], role: string): Entity | undefined =>
  entities.find(({ roles }) => roles.includes(role));

function registrarOf(entities: readonly Entity[]): RegistrarOfRecord | null {
  const entity = byRole(entities, 'registrar')?.fields;
  if (!entity) return null;
  const { name, organization } = readCard(entity.vcardArray);
  const ids = oneOrMany(entity.publicIds).flatMap(idsIn);
  const iana = ids.find(([type]) => typeof type === 'string' && /iana/i.test(type));
  const found = { name: name ?? organization, ianaId: ianaId(iana?.[1]) };
  return found.name === null && found.ianaId === null ? null : found;
}

/** Returns type and identifier of a public id; some servers write `{"IANA Registrar ID": "1"}`. */
function idsIn(publicId: unknown): readonly (readonly [type: unknown, identifier: unknown])[] {
  const { type, identifier, ...others } = fieldsOf(publicId);
  return type === undefined ? Object.entries(others) : [[type, identifier]];
}

/** Parses an ID of IANA's registrar list; null for anything else. */
export function ianaId(value: unknown): number | null {
  const text = publishedText(value) ?? '';
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

function registrantOf(
  entities: readonly Entity[],
  redacted: ReadonlySet<keyof PublishedRegistrant>,
): PublishedRegistrant | null {
  const entity = byRole(entities, 'registrant')?.fields;
  if (!entity) return null;
  const card = readCard(entity.vcardArray);
  const shown = (field: keyof PublishedRegistrant) => (redacted.has(field) ? null : card[field]);
  return publishedRegistrant({
    name: shown('name'),
    organization: shown('organization'),
    country: shown('country'),
  });
}

/** Returns the registrant, or null if nothing is published. */
export function publishedRegistrant(found: PublishedRegistrant): PublishedRegistrant | null {
  return Object.values(found).some((value) => value !== null) ? found : null;
}

function eventDates(events: unknown): (action: string) => Date | null {
  const list = listOf(events).slice(0, 100).map(fieldsOf);
  return (action) => {
    for (const { eventAction, eventDate } of list) {
      if (typeof eventAction !== 'string' || eventAction.toLowerCase() !== action) continue;
      const date = publishedDate(eventDate);
      if (date) return date;
    }
    return null;
  };
}

function signedOf(secureDNS: unknown): boolean | null {
  const { delegationSigned, dsData, keyData } = fieldsOf(secureDNS);
  if (typeof delegationSigned === 'boolean') return delegationSigned;
  return listOf(dsData).length + listOf(keyData).length > 0 ? true : null;
}

/** Returns the link (RFC 9083, 4.2) from a registry's record to the registrar's. */
function relatedLink(links: unknown): string | null {
  for (const link of listOf(links).slice(0, 50)) {
    const { rel, type, href } = fieldsOf(link);
    const isRdap = typeof type === 'string' && /^application\/rdap\+json/i.test(type);
    if (rel === 'related' && isRdap && typeof href === 'string' && href.length <= 2_048)
      return href;
  }
  return null;
}

/** Returns a list; some servers send a single item without the brackets. */
function oneOrMany(value: unknown): readonly unknown[] {
  return Object.keys(fieldsOf(value)).length > 0 ? [value] : listOf(value);
}

/** Returns a list, or an empty one for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the fields of an object, or none for any other value. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/**
 * Reads the identity fields of a jCard (RFC 7095). Servers bend the format in many ways: values of the wrong type,
 * truncated properties, addresses only in a label. Unreadable fields are null.
 */
function readCard(vcardArray: unknown): PublishedRegistrant {
  const properties = listOf(listOf(vcardArray)[1]).map(listOf);
  const named = (name: string) =>
    properties.filter(([given]) => typeof given === 'string' && given.toLowerCase() === name);
  return {
    name: firstOf(named('fn').map(([, , , ...values]) => firstText(values))),
    organization: firstOf(named('org').map(([, , , ...values]) => firstText(values))),
    country: firstOf(named('adr').map(([, params, , address]) => countryOf(params, address))),
  };
}

const firstOf = (found: readonly (string | null)[]): string | null =>
  found.find((value) => value !== null) ?? null;

/** Returns the first text of a value that may be a list, or a list of lists (an organization and its units). */
function firstText(value: unknown, depth = 0): string | null {
  if (!Array.isArray(value)) return publishedText(value);
  return depth < 3 ? firstOf(value.slice(0, 20).map((each) => firstText(each, depth + 1))) : null;
}

/** Returns the country of an address: the parameter of RFC 8605, the seventh part, or a label's last line. */
function countryOf(params: unknown, address: unknown): string | null {
  const { cc, CC, label } = fieldsOf(params);
  const parts = listOf(address);
  const lines = typeof label === 'string' ? label.slice(0, 2_000).trim().split('\n') : [];
  return firstOf([cc, CC, firstText(parts[6]), lines.at(-1)].map(countryCode));
}

/** The registrant data a server says it redacts (RFC 9537). */
interface Redactions {
  /** Whether any registrant data is redacted. The registrar then won't publish it either. */
  ofRegistrant: boolean;
  /** Fields whose value, if present, is not the registrant's own. */
  registrantFields: ReadonlySet<keyof PublishedRegistrant>;
}

const REGISTRANT = /registrant|\broles\b.*registrant/i;

/** The registered redaction names (RFC 9537, 6.2) and jCard paths of each field. */
const FIELDS: readonly (readonly [keyof PublishedRegistrant, name: RegExp, path: RegExp])[] = [
  ['name', /^registrant name$/i, /['"]fn['"]/],
  ['organization', /^registrant organi[sz]ation$/i, /['"]org['"]/],
  ['country', /^registrant country$/i, /['"]adr['"].*\[3\]\[6\]|['"]adr['"].*\bcc\b/i],
];

/** Reads the `redacted` member of an answer; malformed entries are ignored. */
function readRedactions(redacted: unknown): Redactions {
  const registrantFields = new Set<keyof PublishedRegistrant>();
  let ofRegistrant = false;
  for (const each of listOf(redacted).slice(0, 200)) {
    const { name, prePath, postPath, replacementPath } = fieldsOf(each);
    const { type, description } = fieldsOf(name);
    const title = textOf(type) || textOf(description);
    const path = textOf(prePath) || textOf(postPath) || textOf(replacementPath);
    if (!REGISTRANT.test(title) && !REGISTRANT.test(path)) continue;
    ofRegistrant = true;
    for (const [field, byName, byPath] of FIELDS) {
      if (byName.test(title.trim()) || byPath.test(path)) registrantFields.add(field);
    }
  }
  return { ofRegistrant, registrantFields };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 1_000) : '');
