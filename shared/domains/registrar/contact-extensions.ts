import {
  CNNIC_CONTACT,
  EURID_CONTACT,
  FRNIC,
  FURY,
  IIS,
  ITNIC_CONTACT,
  NEULEVEL,
  NOMINET_CONTACT,
  SIDN,
} from '../epp/epp-namespaces.ts';
import { type XmlElement, xml } from '../epp/epp-xml.ts';
import type { Registrant } from '../registrants/registrant.ts';
import { ChangeNotSent } from './registry-commands.ts';

/** How a TLD's registry receives registrant data beyond a contact of RFC 5733. */
interface Carrier {
  /** Namespaces of its extension versions, newest first; the registry offers one of them. */
  namespaces: readonly [string, ...string[]];
  /** Writes the extension in one version; undefined if the registrant lacks required data. */
  write(registrant: Registrant, namespace: string): XmlElement | undefined;
  /** Returns the contact's name where it differs from the registrant's. */
  nameOf?(registrant: Registrant): string;
}

/** By the last label of the TLD, following the registries' public documentation. */
const CARRIERS: Readonly<Record<string, Carrier>> = {
  ca: { namespaces: FURY, write: cira },
  cn: { namespaces: [CNNIC_CONTACT], write: cnnic },
  eu: { namespaces: EURID_CONTACT, write: eurid },
  fr: { namespaces: [FRNIC], write: afnic, nameOf: surname },
  it: { namespaces: [ITNIC_CONTACT], write: itnic },
  nl: { namespaces: [SIDN], write: sidn },
  se: { namespaces: [IIS], write: iis },
  uk: { namespaces: [NOMINET_CONTACT], write: nominet },
  us: { namespaces: [NEULEVEL], write: nexus },
};

/** The registrant data that the TLD requires cannot be sent to its registry. Nothing is sent without it. */
export class ExtraNotCarried extends ChangeNotSent {
  constructor() {
    super(
      'We cannot send the registry everything it requires of this registrant. Contact support: our staff can register the domain by hand.',
    );
    this.name = 'ExtraNotCarried';
  }
}

/**
 * Returns the extension of a registrant's contact in each version, of which the registry offers one; an empty list if
 * the TLD requires no extra data.
 * @throws ExtraNotCarried if it does but no extension can carry it
 */
export function contactExtensions(domain: string, registrant: Registrant): XmlElement[] {
  const extensions = extensionsOf(domain, registrant);
  if (!extensions) throw new ExtraNotCarried();
  return extensions;
}

/** Returns whether the registrant data that a TLD requires can be sent. */
export function isCarried(domain: string, registrant: Registrant): boolean {
  return extensionsOf(domain, registrant) !== undefined;
}

function extensionsOf(domain: string, registrant: Registrant): XmlElement[] | undefined {
  const carrier = carrierOf(domain);
  if (!carrier) return Object.keys(registrant.extra).length === 0 ? [] : undefined;
  const written = carrier.namespaces.map((namespace) => carrier.write(registrant, namespace));
  const whole = written.filter((extension) => extension !== undefined);
  return whole.length === written.length ? whole : undefined;
}

/** Returns the name of a registrant's contact at the registry of a domain. */
export function contactName(domain: string, registrant: Registrant): string {
  return carrierOf(domain)?.nameOf?.(registrant) ?? registrant.name;
}

const carrierOf = (domain: string) => CARRIERS[domain.slice(domain.lastIndexOf('.') + 1)];

const given = (namespace: string, name: string, value: string | undefined) =>
  value === undefined ? undefined : xml(namespace, name, value);

/** `.us`: purpose and nexus category, with the country for foreign organizations (usTLD Nexus Requirements Policy). */
function nexus({ extra }: Registrant, ns: string) {
  const { nexus_purpose: purpose, nexus_category: category, nexus_country: country } = extra;
  if (purpose === undefined || category === undefined) return undefined;
  const of = country === undefined ? category : `${category}/${country}`;
  const unspec = xml(ns, 'unspec', `AppPurpose=${purpose} NexusCategory=${of}`);
  return xml(ns, 'extension', [unspec]);
}

/** `.eu`: whether it is a natural person, and the citizenship of people who live elsewhere (EURid, contact-ext). */
function eurid({ organization, extra }: Registrant, ns: string) {
  return xml(ns, 'create', [
    xml(ns, 'type', 'registrant'),
    xml(ns, 'lang', 'en'),
    xml(ns, 'naturalPerson', String(organization === null)),
    given(ns, 'countryOfCitizenship', extra.citizenship),
  ]);
}

/**
 * `.fr`: the legal status and SIREN of organizations; the first name, date and place of birth of people, with the town
 * only for births in France (AFNIC, frnic-2.0).
 */
function afnic({ organization, extra }: Registrant, ns: string) {
  const { siren, first_name: firstName, birth_date: date, birth_country: country } = extra;
  const contact = (parts: XmlElement[]) =>
    xml(ns, 'ext', [xml(ns, 'create', [xml(ns, 'contact', parts)])]);
  if (organization !== null) {
    const status = xml(ns, 'legalStatus', [], { s: 'company' });
    const number = given(ns, 'siren', siren?.replaceAll(' ', ''));
    return contact([xml(ns, 'legalEntityInfos', [status, number])]);
  }
  if (firstName === undefined || date === undefined || country === undefined) return undefined;
  const birth = xml(ns, 'individualInfos', [
    xml(ns, 'birthDate', date),
    given(ns, 'birthCity', extra.birth_city),
    given(ns, 'birthPc', extra.birth_postal_code),
    xml(ns, 'birthCc', country),
  ]);
  return contact([birth, xml(ns, 'firstName', firstName)]);
}

/** Returns a person's name without the first name, whether written first or last (AFNIC, frnic-2.0). */
function surname({ name, organization, extra }: Registrant): string {
  const { first_name: first } = extra;
  if (organization !== null || first === undefined) return name;
  const [whole, part] = [name.toLowerCase(), first.toLowerCase()];
  if (whole.startsWith(`${part} `)) return name.slice(first.length).trim();
  return whole.endsWith(` ${part}`) ? name.slice(0, -first.length).trim() : name;
}

/** `.it`: entity type, country and fiscal code. Only people may opt out of publication (Registro .it, extcon). */
function itnic({ country, extra }: Registrant, ns: string) {
  const { entity_type: type, registration_code: code } = extra;
  if (type === undefined || code === undefined) return undefined;
  return xml(ns, 'create', [
    xml(ns, 'consentForPublishing', String(type !== '1')),
    xml(ns, 'registrant', [
      xml(ns, 'nationalityCode', country),
      xml(ns, 'entityType', type),
      xml(ns, 'regCode', code),
    ]),
  ]);
}

/** `.ca`: the category of Canadian presence, and CIRA's current registrant agreement (CIRA, fury-2). */
function cira({ extra }: Registrant, ns: string) {
  const { legal_type: type } = extra;
  if (type === undefined) return undefined;
  const property = (key: string, value: XmlElement) =>
    xml(ns, 'property', [xml(ns, 'key', key), value]);
  return xml(ns, 'create', [
    xml(ns, 'properties', [
      property('AGREEMENT_VERSION', xml(ns, 'value', [], { default: 'true' })),
      property('CPR', xml(ns, 'value', type)),
      property('LANGUAGE', xml(ns, 'value', 'en')),
    ]),
  ]);
}

/** `.uk`: the legal type, and a company's number (Nominet, contact-nom-ext-1.0). */
function nominet({ extra }: Registrant, ns: string) {
  const { legal_type: type, company_number: number } = extra;
  if (type === undefined) return undefined;
  return xml(ns, 'create', [xml(ns, 'type', type), given(ns, 'co-no', number)]);
}

/** `.nl`: the legal form, and the registration number if there is one (SIDN, sidn-ext-epp-1.0). */
function sidn({ extra }: Registrant, ns: string) {
  const { legal_form: form, registration_number: number } = extra;
  if (form === undefined) return undefined;
  const parts = [xml(ns, 'legalForm', form), given(ns, 'legalFormRegNo', number)];
  return xml(ns, 'ext', [xml(ns, 'create', [xml(ns, 'contact', parts)])]);
}

/** `.se`: the identity number of the person or organization, after its country (Internetstiftelsen, iis-1.2). */
function iis({ country, extra }: Registrant, ns: string) {
  const { identity_number: number } = extra;
  if (number === undefined) return undefined;
  return xml(ns, 'create', [xml(ns, 'orgno', `[${country}]${number}`)]);
}

/** `.cn`: the identity document's type and number (CNNIC, cnnic-contact-1.0). */
function cnnic({ extra }: Registrant, ns: string) {
  const { identity_type: type, identity_number: number } = extra;
  if (type === undefined || number === undefined) return undefined;
  return xml(ns, 'create', [xml(ns, 'contact', number, { type })]);
}
