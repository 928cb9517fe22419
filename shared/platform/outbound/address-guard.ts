import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * `private` can be allowed in development; `forbidden` never is (metadata services, link-local, multicast, tunnels and
 * anything else where no partner's receiver can be).
 */
export type AddressClass = 'public' | 'private' | 'forbidden';

export interface HostAddress {
  address: string;
  family: 4 | 6;
}

export interface TargetRules {
  allowPrivate: boolean;
  requireHttps: boolean;
}

export type TargetVerdict =
  | { url: URL; host: string }
  | { refused: 'invalid_url' | 'refused_address'; message: string };

const PRIVATE = blockList(
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['::1', 128],
  ['fc00::', 7],
);

// Cloud metadata and host services inside private or public-looking ranges.
const METADATA = blockList(
  ['169.254.0.0', 16],
  ['168.63.129.16', 32],
  ['100.100.100.200', 32],
  ['192.0.0.192', 32],
  ['fd00:ec2::', 32],
  ['fd20:ce::', 32],
);

// IANA special-purpose registries (RFC 6890 and its updates), minus the ranges in PRIVATE and METADATA.
const SPECIAL_V4 = blockList(
  ['0.0.0.0', 8],
  ['100.64.0.0', 10],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
);

// In IPv6, only global unicast is public. That alone excludes NAT64, site-local, SRv6, multicast, unspecified and
// IPv4-compatible addresses; SPECIAL_V6 lists the special blocks inside it.
const GLOBAL_UNICAST = blockList(['2000::', 3]);
const SPECIAL_V6 = blockList(
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
);

// Ports of services that an HTTP request must never reach (mail, DNS, data stores).
const REFUSED_PORTS = new Set([
  0, 20, 21, 22, 23, 25, 37, 53, 69, 79, 109, 110, 111, 119, 123, 135, 137, 138, 139, 143, 161, 162,
  179, 389, 445, 465, 512, 513, 514, 515, 587, 636, 993, 995, 1433, 1521, 2049, 2375, 2379, 3306,
  3389, 5432, 5672, 5900, 6379, 9200, 11211, 27017,
]);

// Names that only have a meaning inside a network (RFC 6761, RFC 6762, RFC 8375, ICANN `.internal`).
const LOCAL_SUFFIXES = ['.localhost', '.local', '.internal', '.localdomain', '.home.arpa'];

function blockList(...subnets: readonly [network: string, bits: number][]): BlockList {
  const list = new BlockList();
  for (const [network, bits] of subnets) {
    list.addSubnet(network, bits, isIP(network) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** Returns the canonical form of an IP address; an IPv4-mapped IPv6 address becomes the IPv4 address. */
export function canonicalAddress(address: string): string {
  return ipaddr.process(address).toString();
}

/** Returns the class of an IP address in any textual form; anything else is `forbidden`. */
export function classifyAddress(address: string): AddressClass {
  if (isIP(address) === 0) return 'forbidden';
  const plain = canonicalAddress(address);
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
  if (METADATA.check(plain, family)) return 'forbidden';
  if (PRIVATE.check(plain, family)) return 'private';
  if (family === 'ipv4') return SPECIAL_V4.check(plain) ? 'forbidden' : 'public';
  const global = GLOBAL_UNICAST.check(plain, family) && !SPECIAL_V6.check(plain, family);
  return global ? 'public' : 'forbidden';
}

/** Whether we may connect to this address. */
export function isAllowedAddress(address: string, allowPrivate: boolean): boolean {
  const found = classifyAddress(address);
  return found === 'public' || (found === 'private' && allowPrivate);
}

/** Returns the host of a URL in the form DNS and TLS expect: no brackets, no trailing dot. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/**
 * Checks everything about a target that doesn't need DNS: syntax, scheme, credentials, port, and IP literals in every
 * form that WHATWG URL accepts (2130706433, 0x7f.1, 0177.0.0.1, [::ffff:7f00:1]).
 */
export function inspectTarget(target: string, rules: TargetRules): TargetVerdict {
  const invalid = (message: string): TargetVerdict => ({ refused: 'invalid_url', message });
  const refused = (message: string): TargetVerdict => ({ refused: 'refused_address', message });

  // The URL parser silently drops these, so we would call a different URL than the stored one.
  if (/[\p{Cc}\s]/u.test(target)) return invalid('must not contain spaces or control characters');
  if (!URL.canParse(target)) return invalid('must be an absolute http or https URL');
  const url = new URL(target);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return invalid('must be an http or https URL');
  }
  if (rules.requireHttps && url.protocol !== 'https:') return invalid('must start with https://');
  if (url.username !== '' || url.password !== '') {
    return invalid('must not contain a user name or password');
  }
  if (url.port !== '' && REFUSED_PORTS.has(Number(url.port))) {
    return refused(`must not use port ${url.port}, which belongs to another kind of service`);
  }
  const host = bareHost(url.hostname);
  if (isIP(host) !== 0) {
    return isAllowedAddress(host, rules.allowPrivate)
      ? { url, host }
      : refused('must not point to a private, loopback, link-local or reserved address');
  }
  if (host === '' || host.includes('..')) return invalid('must have a valid host name');
  if (!rules.allowPrivate && isLocalName(host)) {
    return refused('must use a public host name, not one of a local network');
  }
  return { url, host };
}

function isLocalName(host: string): boolean {
  return !host.includes('.') || LOCAL_SUFFIXES.some((suffix) => host.endsWith(suffix));
}
