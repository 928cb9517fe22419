import { promises as dns } from 'node:dns';
import { errorCode } from './outbound-failure.ts';

/**
 * What DNS says of a name: records, that there is no such name (NXDOMAIN) or no record of this kind, or that
 * its servers gave no usable answer (`broken`) or none in time (`timeout`).
 */
export type DnsAnswer =
  | { kind: 'records'; values: readonly string[] }
  | { kind: 'no_such_name' | 'no_records' | 'broken' | 'timeout' };

export interface DnsRecords {
  /** Never throws; `deadlineMs` bounds the whole question. Host names come back in lower case. */
  ask(name: string, type: 'NS' | 'CNAME', deadlineMs: number): Promise<DnsAnswer>;
}

const KINDS: Readonly<Record<string, DnsAnswer>> = {
  ENOTFOUND: { kind: 'no_such_name' },
  ENODATA: { kind: 'no_records' },
  // What a cancelled question, a silent or an unreachable resolver look like: nothing was learnt.
  ECANCELLED: { kind: 'timeout' },
  ETIMEOUT: { kind: 'timeout' },
  ECONNREFUSED: { kind: 'timeout' },
};

/** @param servers DNS servers (`address:port`) to ask instead of the system's */
export function createDnsRecords(servers?: readonly string[]): DnsRecords {
  return {
    async ask(name, type, deadlineMs) {
      // One each time: it reads the current resolver configuration and can be cancelled by itself.
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
