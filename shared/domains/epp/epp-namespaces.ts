/** The namespaces of EPP's documents. */
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
/** Changes that the server made by itself (RFC 8590). */
export const CHANGE_POLL = 'urn:ietf:params:xml:ns:changePoll-1.0';
/** Where an answer has what the client did not announce at its login (RFC 9038). */
export const UNHANDLED_NAMESPACES = 'urn:ietf:params:xml:ns:epp:unhandled-namespaces-1.0';
/** Maintenance of the registry (RFC 9167). */
export const MAINTENANCE = 'urn:ietf:params:xml:ns:epp:maintenance-1.0';
/** Long passwords, and warnings about them (RFC 8807). */
export const LOGIN_SECURITY = 'urn:ietf:params:xml:ns:epp:loginSec-1.0';
/** Authorization information that is set only while it is wanted, and never shown (RFC 9154). */
const SECURE_AUTH_INFO = 'urn:ietf:params:xml:ns:epp:secure-authinfo-transfer-1.0';

/** The prefixes that the RFCs write. */
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
};

/** Kinds of objects that we work with, as `<objURI>`. */
export const OBJECTS = [DOMAIN, CONTACT, HOST, MAINTENANCE] as const;
/** Extensions that we understand, as `<extURI>`. */
export const EXTENSIONS = [
  RGP,
  SEC_DNS,
  FEE,
  CHANGE_POLL,
  UNHANDLED_NAMESPACES,
  LOGIN_SECURITY,
  SECURE_AUTH_INFO,
] as const;
