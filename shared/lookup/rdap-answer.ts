import { fieldsOf, listOf, readCard } from './contact-card.ts';
import type { PublishedRegistrant, RegistrarOfRecord, RegistryRecord } from './lookup.ts';
import { publishedDate } from './published-date.ts';
import { distinct, hostName, publishedText, rdapStatus } from './published-text.ts';
import { readRedactions } from './redactions.ts';

/** A domain object of RDAP, read. */
export interface RdapDomain {
  record: RegistryRecord;
  /** Where the registrar tells more, if the registry says so and keeps no registrant itself. */
  registrarUrl: string | null;
}

const MOST_NAMESERVERS = 50;
const MOST_STATUSES = 50;

/**
 * Reads what a server answered for `domain` (RFC 9083, 5.3), whatever it is: fields that are missing or
 * malformed are null or empty. Undefined when it is no record of that domain.
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

/** A proxy's welcome page or another name's record must not pass for the answer. */
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

/** The entities of the domain and those inside them, the outer ones first. */
function entitiesOf(fields: Record<string, unknown>): readonly Entity[] {
  const outer = listOf(fields.entities).slice(0, 50).map(fieldsOf);
  const inner = outer.flatMap((entity) => listOf(entity.entities).slice(0, 50).map(fieldsOf));
  return [...outer, ...inner].map((entity) => ({
    roles: (Array.isArray(entity.roles) ? entity.roles : [entity.roles])
      .filter((role) => typeof role === 'string')
      .map((role) => role.toLowerCase()),
    fields: entity,
  }));
}

const byRole = (entities: readonly Entity[], role: string): Entity | undefined =>
  entities.find(({ roles }) => roles.includes(role));

function registrarOf(entities: readonly Entity[]): RegistrarOfRecord | null {
  const entity = byRole(entities, 'registrar')?.fields;
  if (!entity) return null;
  const { name, organization } = readCard(entity.vcardArray);
  const ids = listOf(entity.publicIds).map(fieldsOf);
  const iana = ids.find(({ type }) => typeof type === 'string' && /iana/i.test(type));
  const found = { name: name ?? organization, ianaId: ianaId(iana?.identifier) };
  return found.name === null && found.ianaId === null ? null : found;
}

/** A number of IANA's list of registrars; null for anything else. */
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

/** The registrant, or null when nothing of it is published. */
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

/** The link of RFC 9083, 4.2 from a registry's record to the registrar's. */
function relatedLink(links: unknown): string | null {
  for (const link of listOf(links).slice(0, 50)) {
    const { rel, type, href } = fieldsOf(link);
    const isRdap = typeof type === 'string' && /^application\/rdap\+json/i.test(type);
    if (rel === 'related' && isRdap && typeof href === 'string' && href.length <= 2_048)
      return href;
  }
  return null;
}
