import { EURID_CONTACT, FRNIC, ITNIC_CONTACT, NEULEVEL } from '../epp/epp-namespaces.ts';
import { type XmlElement, xml } from '../epp/epp-xml.ts';
import type { Registrant } from '../registrants/registrant.ts';

type ExtensionWriter = (registrant: Registrant) => XmlElement[];

/**
 * What TLDs ask of a registrant beyond a contact of RFC 5733, as the public documents of their registries have it. A TLD
 * that is missing here gets none; docs/registrar.md says what that means.
 */
const EXTENSIONS: Readonly<Record<string, ExtensionWriter>> = {
  us: nexus,
  eu: eurid,
  fr: afnic,
  it: itnic,
};

/** The extensions for the contact of a registrant, each a version of the same; the registry offers one of them. */
export function contactExtensions(domain: string, registrant: Registrant): XmlElement[] {
  const tld = domain.slice(domain.lastIndexOf('.') + 1);
  return EXTENSIONS[tld]?.(registrant) ?? [];
}

/** `.us`: purpose and nexus, the latter of foreign organizations with their country (usTLD Nexus Requirements Policy). */
function nexus({ extra }: Registrant): XmlElement[] {
  const { nexus_purpose: purpose, nexus_category: category, nexus_country: country } = extra;
  if (purpose === undefined || category === undefined) return [];
  const of = country === undefined ? category : `${category}/${country}`;
  const unspec = xml(NEULEVEL, 'unspec', `AppPurpose=${purpose} NexusCategory=${of}`);
  return [xml(NEULEVEL, 'extension', [unspec])];
}

/** `.eu`: whether it is a person, and of people who live elsewhere the citizenship (EURid, contact-ext). */
function eurid({ organization, extra }: Registrant): XmlElement[] {
  const { citizenship } = extra;
  return EURID_CONTACT.map((namespace) =>
    xml(namespace, 'create', [
      xml(namespace, 'type', 'registrant'),
      xml(namespace, 'lang', 'en'),
      xml(namespace, 'naturalPerson', String(organization === null)),
      citizenship === undefined ? undefined : xml(namespace, 'countryOfCitizenship', citizenship),
    ]),
  );
}

/** `.fr`: of organizations what they are, with their SIREN (AFNIC, frnic-2.0). */
function afnic({ organization, extra }: Registrant): XmlElement[] {
  // A person has a first name and a surname there, which nobody can tell from a name for sure.
  if (organization === null) return [];
  const { siren } = extra;
  const about = xml(FRNIC, 'legalEntityInfos', [
    xml(FRNIC, 'legalStatus', [], { s: 'company' }),
    siren === undefined ? undefined : xml(FRNIC, 'siren', siren.replaceAll(' ', '')),
  ]);
  return [xml(FRNIC, 'ext', [xml(FRNIC, 'create', [xml(FRNIC, 'contact', [about])])])];
}

/** `.it`: kind, country and fiscal code. Only people may keep their data from being published (Registro .it, extcon). */
function itnic({ country, extra }: Registrant): XmlElement[] {
  const { entity_type: type, registration_code: code } = extra;
  if (type === undefined || code === undefined) return [];
  return [
    xml(ITNIC_CONTACT, 'create', [
      xml(ITNIC_CONTACT, 'consentForPublishing', String(type !== '1')),
      xml(ITNIC_CONTACT, 'registrant', [
        xml(ITNIC_CONTACT, 'nationalityCode', country),
        xml(ITNIC_CONTACT, 'entityType', type),
        xml(ITNIC_CONTACT, 'regCode', code),
      ]),
    ]),
  ];
}
