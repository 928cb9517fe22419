import { promises as dns } from 'node:dns';
import { setTimeout as pause } from 'node:timers/promises';
import type { HostAddress } from './address-guard.ts';
import { errorCode } from './outbound-error.ts';

export type ResolveHost = (hostname: string) => Promise<readonly HostAddress[]>;

/** How long to wait for the slower of the A and AAAA answers after the faster one. */
const SECOND_FAMILY_GRACE_MS = 300;

/**
 * Resolves a name with our own DNS queries, IPv4 addresses first. Not `dns.lookup`, which blocks one of the process's
 * few pool threads for as long as a partner's name server stays silent. `systemNames` also asks the system (hosts file,
 * mDNS) for names that DNS does not know.
 */
export function createHostResolver(options: {
  systemNames: boolean;
  /** DNS servers (`address:port`) to ask instead of the system's. */
  servers?: readonly string[];
}): ResolveHost {
  return async (hostname) => {
    if (hostname === 'localhost' || hostname.endsWith('.localhost')) {
      return [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ];
    }
    try {
      return await queryBoth(hostname, options.servers);
    } catch (error) {
      if (!options.systemNames) throw error;
      const found = await dns.lookup(hostname, { all: true });
      return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
    }
  };
}

async function queryBoth(
  hostname: string,
  servers: readonly string[] | undefined,
): Promise<readonly HostAddress[]> {
  // A new resolver per query picks up the current system configuration and can be canceled on its own.
  const resolver = new dns.Resolver({ timeout: 1_500, tries: 2 });
  if (servers) resolver.setServers(servers);
  const stop = new AbortController();
  let cause: unknown;
  const ask = async (family: 4 | 6): Promise<HostAddress[]> => {
    try {
      const found = await (family === 4
        ? resolver.resolve4(hostname)
        : resolver.resolve6(hostname));
      return found.map((address) => ({ address, family }));
    } catch (error) {
      cause ??= error;
      return [];
    }
  };
  const lag = () => pause(SECOND_FAMILY_GRACE_MS, [], { signal: stop.signal }).catch(() => []);
  const v4 = ask(4);
  const v6 = ask(6);
  try {
    const first = await Promise.race([v4, v6]);
    const found =
      first.length === 0
        ? await Promise.all([v4, v6])
        : await Promise.all([Promise.race([v4, lag()]), Promise.race([v6, lag()])]);
    const addresses = found.flat();
    if (addresses.length === 0) throw cause;
    return addresses;
  } finally {
    stop.abort();
    resolver.cancel();
  }
}

/**
 * What DNS says about a name: records, no such name (NXDOMAIN), no records of this type, no usable answer from its
 * servers (`broken`), or no answer in time (`timeout`).
 */
export type DnsAnswer =
  | { kind: 'records'; values: readonly string[] }
  | { kind: 'no_such_name' | 'no_records' | 'broken' | 'timeout' };

export interface DnsRecords {
  /** Never throws. `deadlineMs` limits the whole query. Host names are returned in lower case. */
  ask(name: string, type: 'NS' | 'CNAME', deadlineMs: number): Promise<DnsAnswer>;
}

const KINDS: Readonly<Record<string, DnsAnswer>> = {
  ENOTFOUND: { kind: 'no_such_name' },
  ENODATA: { kind: 'no_records' },
  // Canceled queries and silent or unreachable resolvers: we learned nothing.
  ECANCELLED: { kind: 'timeout' },
  ETIMEOUT: { kind: 'timeout' },
  ECONNREFUSED: { kind: 'timeout' },
};

/** @param servers DNS servers (`address:port`) to ask instead of the system's */
export function createDnsRecords(servers?: readonly string[]): DnsRecords {
  return {
    async ask(name, type, deadlineMs) {
      // A new resolver per query picks up the current system configuration and can be canceled on its own.
      const resolver = new dns.Resolver({
        timeout: Math.max(250, Math.ceil(deadlineMs / 2)),
        tries: 2,
      });
      if (servers) resolver.setServers(servers);
      const timer = setTimeout(() => resolver.cancel(), deadlineMs);
      try {
        const values = await (type === 'NS'
          ? resolver.resolveNs(name)
          : resolver.resolveCname(name));
        return { kind: 'records', values: values.map((value) => value.toLowerCase()) };
      } catch (error) {
        return KINDS[errorCode(error)] ?? { kind: 'broken' };
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
