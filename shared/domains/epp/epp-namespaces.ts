/** The namespaces of EPP documents. */
export const EPP = 'urn:ietf:params:xml:ns:epp-1.0';
export const DOMAIN = 'urn:ietf:params:xml:ns:domain-1.0';
export const CONTACT = 'urn:ietf:params:xml:ns:contact-1.0';
export const HOST = 'urn:ietf:params:xml:ns:host-1.0';
/** Redemption grace period (RFC 3915). */
export const RGP = 'urn:ietf:params:xml:ns:rgp-1.0';
/** DNSSEC (RFC 5910). */
export const SEC_DNS = 'urn:ietf:params:xml:ns:secDNS-1.1';
/** Fees (RFC 8748). */
export const FEE = 'urn:ietf:params:xml:ns:epp:fee-1.0';
/** Changes made by the server (RFC 8590). */
export const CHANGE_POLL = 'urn:ietf:params:xml:ns:changePoll-1.0';
/** Data of namespaces that the client did not announce at login (RFC 9038). */
export const UNHANDLED_NAMESPACES = 'urn:ietf:params:xml:ns:epp:unhandled-namespaces-1.0';
/** Registry maintenance (RFC 9167). */
export const MAINTENANCE = 'urn:ietf:params:xml:ns:epp:maintenance-1.0';
/** Long passwords and login warnings (RFC 8807). */
export const LOGIN_SECURITY = 'urn:ietf:params:xml:ns:epp:loginSec-1.0';
/** Authorization information that is set only while needed and never shown (RFC 9154). */
const SECURE_AUTH_INFO = 'urn:ietf:params:xml:ns:epp:secure-authinfo-transfer-1.0';

/** The registrant extension of `.us`: nexus. */
export const NEULEVEL = 'urn:ietf:params:xml:ns:neulevel-1.0';
/** The registrant extension of `.eu`, in the versions that its registry has offered, newest first. */
export const EURID_CONTACT = [
  'http://www.eurid.eu/xml/epp/contact-ext-1.4',
  'http://www.eurid.eu/xml/epp/contact-ext-1.3',
] as const;
/** The registrant extension of `.fr`. */
export const FRNIC = 'http://www.afnic.fr/xml/epp/frnic-2.0';
/** The registrant extension of `.it`. */
export const ITNIC_CONTACT = 'http://www.nic.it/ITNIC-EPP/extcon-1.0';
/** The registrant extension of `.ca`, in the versions that its registry has offered, newest first. */
export const FURY = ['urn:ietf:params:xml:ns:fury-2.1', 'urn:ietf:params:xml:ns:fury-2.0'] as const;
/** The registrant extension of `.uk`. */
export const NOMINET_CONTACT = 'http://www.nominet.org.uk/epp/xml/contact-nom-ext-1.0';
/** The registrant extension of `.nl`. */
export const SIDN = 'http://rxsd.domain-registry.nl/sidn-ext-epp-1.0';
/** The registrant extension of `.se`. */
export const IIS = 'urn:se:iis:xml:epp:iis-1.2';
/** The registrant extension of `.cn`. */
export const CNNIC_CONTACT = 'urn:ietf:params:xml:ns:cnnic-contact-1.0';

/** The customary prefixes of the RFCs and registries. */
export const PREFIXES: Readonly<Record<string, string>> = {
  [DOMAIN]: 'domain',
  [CONTACT]: 'contact',
  [HOST]: 'host',
  [RGP]: 'rgp',
  [SEC_DNS]: 'secDNS',
  [FEE]: 'fee',
  [CHANGE_POLL]: 'changePoll',
  [MAINTENANCE]: 'maint',
  [LOGIN_SECURITY]: 'loginSec',
  [NEULEVEL]: 'neulevel',
  [EURID_CONTACT[0]]: 'contact-ext',
  [EURID_CONTACT[1]]: 'contact-ext',
  [FRNIC]: 'frnic',
  [ITNIC_CONTACT]: 'extcon',
  [FURY[0]]: 'fury',
  [FURY[1]]: 'fury',
  [NOMINET_CONTACT]: 'contact-nom-ext',
  [SIDN]: 'sidn-ext-epp',
  [IIS]: 'iis',
  [CNNIC_CONTACT]: 'cnnic-contact',
};

/** The object types that we support, as `<objURI>`. */
export const OBJECTS = [DOMAIN, CONTACT, HOST, MAINTENANCE] as const;
/** The extensions that we support, as `<extURI>`. */
export const EXTENSIONS = [
  RGP,
  SEC_DNS,
  FEE,
  CHANGE_POLL,
  UNHANDLED_NAMESPACES,
  LOGIN_SECURITY,
  SECURE_AUTH_INFO,
] as const;
/** The registrant extensions of individual registries. */
export const CONTACT_EXTENSIONS = [
  NEULEVEL,
  ...EURID_CONTACT,
  FRNIC,
  ITNIC_CONTACT,
  ...FURY,
  NOMINET_CONTACT,
  SIDN,
  IIS,
  CNNIC_CONTACT,
] as const;
