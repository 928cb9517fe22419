import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { invalid } from '../../platform/errors.ts';

const MAX_NETWORKS = 20;

/**
 * Parses networks into their stored form: CIDR notation without duplicates, a single address as a network of its own.
 * Returns null if there are none, which allows every address.
 * @throws validation_error naming a text that is not an address or network
 */
export function parseNetworks(texts: readonly string[]): string[] | null {
  const networks = [...new Set(texts.map(parseNetwork))];
  if (networks.length > MAX_NETWORKS) {
    throw invalid([{ path: '/allowed_ips', message: `must be at most ${MAX_NETWORKS} networks` }]);
  }
  return networks.length === 0 ? null : networks;
}

function parseNetwork(spelled: string): string {
  const text = spelled.trim();
  const [address = '', bits] = text.split('/');
  const family = isIP(address);
  const longest = family === 6 ? 128 : 32;
  const length =
    bits === undefined ? longest : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.POSITIVE_INFINITY;
  // IPv4-mapped and scoped addresses would never match a caller.
  const odd = family === 6 && (text.includes('%') || text.includes('.'));
  if (family === 0 || odd || text.split('/').length > 2 || length > longest) {
    const message = `has ${JSON.stringify(text)}, which is no address and no network such as 192.0.2.0/24`;
    throw invalid([{ path: '/allowed_ips', message }]);
  }
  const plain = ipaddr.parse(address);
  const network = plain.kind() === 'ipv6' ? ipaddr.IPv6 : ipaddr.IPv4;
  return `${network.networkAddressFromCIDR(`${address}/${length}`).toString()}/${length}`;
}

/** Returns a matcher for addresses in the networks; null allows all. An IPv4-mapped address counts as IPv4. */
export function addressMatcher(
  networks: readonly string[] | null,
): (address: string | undefined) => boolean {
  if (networks === null) return () => true;
  const ranges = networks.map((network) => ipaddr.parseCIDR(network));
  return (address = '') => {
    if (isIP(address) === 0) return false;
    const plain = ipaddr.process(address);
    return ranges.some(
      ([range, bits]) => range.kind() === plain.kind() && plain.match(range, bits),
    );
  };
}
