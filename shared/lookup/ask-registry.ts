import type { RegistryRecord } from './lookup.ts';

/** What asking the registry of a domain came to. */
export type RegistryResult =
  | {
      kind: 'record';
      record: RegistryRecord;
      /** The registrar's own RDAP record of the domain, when the registry leaves the registrant to it. */
      registrarUrl: string | null;
    }
  /** No registry serves the TLD. */
  | { kind: 'unsupported' }
  /** Nobody answered usably; worth another try after so many seconds. */
  | { kind: 'unavailable'; retryAfterSeconds: number };

/** Asks the registry of a domain (A-labels). Never throws; ends soon after `signal` is aborted. */
export type QueryRegistry = (domain: string, signal: AbortSignal) => Promise<RegistryResult>;

/** The record of a name that nobody holds. */
export function unregisteredRecord(
  domain: string,
  source: RegistryRecord['source'],
): RegistryRecord {
  return {
    domain,
    registered: false,
    source,
    registrar: null,
    registrant: null,
    dates: { created: null, updated: null, expires: null },
    nameservers: [],
    status: [],
    dnssec: null,
  };
}
