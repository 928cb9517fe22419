import { isIP } from 'node:net';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/** A /64 is the least that one subscriber has. */
const NETWORK_GROUPS = 4;
/** Some proxies write the caller's port beside its address: `192.0.2.1:50000`, `[2001:db8::1]:50000`. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/;
const UNKNOWN = 'unknown';

/**
 * What limits count as one caller: the IPv4 address that a request came from, or the /64 network of its IPv6
 * address. Nothing else may key a limit by where a request came from.
 */
export function callerBucket(req: Request): string {
  return addressBucket(req.ip ?? UNKNOWN);
}

/** The bucket of an address in any spelling, an IPv4-mapped IPv6 address being IPv4; `unknown` for what is none. */
export function addressBucket(spelled: string): string {
  const [, bracketed, dotted] = WITH_PORT.exec(spelled) ?? [];
  const [address = ''] = (bracketed ?? dotted ?? spelled).split('%');
  if (isIP(address) === 0) return UNKNOWN;
  const plain = ipaddr.process(address);
  if (!(plain instanceof ipaddr.IPv6)) return plain.toString();
  const network = plain.parts.slice(0, NETWORK_GROUPS);
  return network.map((group) => group.toString(16)).join(':');
}
