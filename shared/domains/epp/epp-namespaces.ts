/** The namespaces of EPP's documents. */
export const EPP = 'urn:ietf:params:xml:ns:epp-1.0';
export const DOMAIN = 'urn:ietf:params:xml:ns:domain-1.0';
export const CONTACT = 'urn:ietf:params:xml:ns:contact-1.0';
export const HOST = 'urn:ietf:params:xml:ns:host-1.0';
/** Redemption grace period (RFC 3915). */
export const RGP = 'urn:ietf:params:xml:ns:rgp-1.0';
/** DNSSEC (RFC 5910). */
export const SEC_DNS = 'urn:ietf:params:xml:ns:secDNS-1.1';

/** The prefixes that the RFCs write. */
export const PREFIXES: Readonly<Record<string, string>> = {
  [DOMAIN]: 'domain',
  [CONTACT]: 'contact',
  [HOST]: 'host',
  [RGP]: 'rgp',
  [SEC_DNS]: 'secDNS',
};

/** Kinds of objects that we work with, as `<objURI>`. */
export const OBJECTS = [DOMAIN, CONTACT, HOST] as const;
/** Extensions that we understand, as `<extURI>`. */
export const EXTENSIONS = [RGP, SEC_DNS] as const;
