/**
 * RDAP servers of the TLDs that are sold, from IANA's file (RFC 9224) as of 2026-09-30. Used until the file is fetched
 * and whenever it can't be.
 */
export const BUNDLED_RDAP: Readonly<Record<string, string>> = {
  agency: 'https://rdap.identitydigital.services/rdap/',
  ai: 'https://rdap.identitydigital.services/rdap/',
  app: 'https://pubapi.registry.google/rdap/',
  au: 'https://rdap.cctld.au/rdap/',
  biz: 'https://rdap.nic.biz/',
  ca: 'https://rdap.ca.fury.ca/rdap/',
  cc: 'https://tld-rdap.verisign.com/cc/v1/',
  cloud: 'https://rdap.registry.cloud/rdap/',
  club: 'https://rdap.nic.club/',
  com: 'https://rdap.verisign.com/com/v1/',
  design: 'https://rdap.nic.design/',
  dev: 'https://pubapi.registry.google/rdap/',
  fi: 'https://rdap.fi/rdap/rdap/',
  fm: 'https://rdap.centralnic.com/fm/',
  fr: 'https://rdap.nic.fr/',
  in: 'https://rdap.nixiregistry.in/rdap/',
  info: 'https://rdap.identitydigital.services/rdap/',
  mobi: 'https://rdap.identitydigital.services/rdap/',
  name: 'https://tld-rdap.verisign.com/name/v1/',
  net: 'https://rdap.verisign.com/net/v1/',
  nl: 'https://rdap.sidn.nl/',
  online: 'https://rdap.radix.host/rdap/',
  org: 'https://rdap.publicinterestregistry.org/rdap/',
  pro: 'https://rdap.identitydigital.services/rdap/',
  shop: 'https://rdap.gmoregistry.net/rdap/',
  site: 'https://rdap.radix.host/rdap/',
  store: 'https://rdap.radix.host/rdap/',
  studio: 'https://rdap.identitydigital.services/rdap/',
  tech: 'https://rdap.radix.host/rdap/',
  tv: 'https://rdap.nic.tv/',
  uk: 'https://rdap.nominet.uk/uk/',
  xyz: 'https://rdap.centralnic.com/xyz/',
};

/** RDAP servers missing from IANA's file. The file takes precedence once it lists them. */
export const UNLISTED_RDAP: Readonly<Record<string, string>> = {
  ac: 'https://rdap.identitydigital.services/rdap/',
  ch: 'https://rdap.nic.ch/',
  co: 'https://rdap.registry.co/co/',
  de: 'https://rdap.denic.de/',
  io: 'https://rdap.identitydigital.services/rdap/',
  li: 'https://rdap.nic.li/',
  me: 'https://rdap.identitydigital.services/rdap/',
  sh: 'https://rdap.identitydigital.services/rdap/',
  us: 'https://rdap.nic.us/',
};

/** WHOIS servers of the suffixes that are sold. For others we ask IANA's own server. */
export const WHOIS_SERVERS: Readonly<Record<string, string>> = {
  at: 'whois.nic.at',
  au: 'whois.auda.org.au',
  be: 'whois.dns.be',
  ca: 'whois.ca.fury.ca',
  ch: 'whois.nic.ch',
  cn: 'whois.cnnic.cn',
  co: 'whois.registry.co',
  'co.za': 'coza-whois.registry.net.za',
  com: 'whois.verisign-grs.com',
  de: 'whois.denic.de',
  eu: 'whois.eu',
  fi: 'whois.fi',
  fr: 'whois.nic.fr',
  io: 'whois.nic.io',
  it: 'whois.nic.it',
  jp: 'whois.jprs.jp',
  me: 'whois.nic.me',
  mx: 'whois.mx',
  net: 'whois.verisign-grs.com',
  nl: 'whois.domain-registry.nl',
  org: 'whois.publicinterestregistry.org',
  se: 'whois.iis.se',
  sh: 'whois.nic.sh',
  uk: 'whois.nic.uk',
  us: 'whois.nic.us',
};

/** Query formats of some WHOIS servers; the others get the name alone. */
export const WHOIS_QUESTIONS: Readonly<Record<string, (domain: string) => string>> = {
  // Without these formats the answers are partial matches, lack dates, or are in Japanese.
  'whois.verisign-grs.com': (domain) => `domain ${domain}`,
  'whois.denic.de': (domain) => `-T dn,ace ${domain}`,
  'whois.jprs.jp': (domain) => `${domain}/e`,
};

/** Reserved TLDs (RFC 6761), which have no registry. */
export const RESERVED_TLDS: ReadonlySet<string> = new Set(['example', 'test']);

/** A registry's date format where it differs from the usual one; see {@link dateRulesOf}. */
export interface DateRules {
  /** `10/24/2026`. */
  monthFirst?: boolean;
  /** The IANA time zone of times without one; set only where the registry states it. */
  zone?: string;
}

const DATE_RULES: Readonly<Record<string, DateRules>> = {
  cf: { monthFirst: true },
  ga: { monthFirst: true },
  gq: { monthFirst: true },
  ml: { monthFirst: true },
  tk: { monthFirst: true },
  // Every answer says "All timestamps are given in Serbian local time".
  rs: { zone: 'Europe/Belgrade' },
  'xn--90a3ac': { zone: 'Europe/Belgrade' },
};

/** Returns the date format of a domain's registry over WHOIS. */
export function dateRulesOf(domain: string): DateRules {
  return DATE_RULES[domain.slice(domain.lastIndexOf('.') + 1)] ?? {};
}
