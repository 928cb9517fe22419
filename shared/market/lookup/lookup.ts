/** The registrar of a registration; a field is null if missing or redacted. */
export interface RegistrarOfRecord {
  name: string | null;
  /** Number in IANA's registrar list; registrars at country registries may have none. */
  ianaId: number | null;
}

/** The published data of a registrant. */
export interface PublishedRegistrant {
  name: string | null;
  organization: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
}

/** A registry's record of a domain, from either protocol. */
export interface RegistryRecord {
  /** A-labels. */
  domain: string;
  registered: boolean;
  source: 'rdap' | 'whois';
  registrar: RegistrarOfRecord | null;
  /** Null if nothing is published. */
  registrant: PublishedRegistrant | null;
  dates: { created: Date | null; updated: Date | null; expires: Date | null };
  /** Host names as A-labels, in the registry's order. */
  nameservers: readonly string[];
  /** RDAP status values (RFC 9083, 10.2.2): `active`, `client transfer prohibited`. */
  status: readonly string[];
  /** Whether the delegation is signed; null when the registry does not say. */
  dnssec: boolean | null;
}

/** The answer of a lookup. */
export interface LookupAnswer extends RegistryRecord {
  /** When the registry answered. */
  fetchedAt: Date;
  /** Whether the answer came from the cache. */
  cached: boolean;
}

/** Whether a name is registered; `unknown` if no registry gave a readable answer in time. */
export type Registration = 'registered' | 'available' | 'unknown';

/**
 * Queries domain registries. Runs one query per domain at a time, caches answers for a while, and respects each
 * registry's rate limits. Domains are A-labels, see `parseDomain`.
 */
export interface Lookups {
  /**
   * Returns the full record of a domain. An abort ends the wait, not the query.
   * @throws not_found when no registry serves the TLD, service_unavailable when none answered in time or it refused to,
   * unreadable_answer (with the answer, 32 kB of it at most) when the answer can't be read
   */
  find(domain: string, signal?: AbortSignal): Promise<LookupAnswer>;
  /** Returns whether a domain is registered, within `budgetMs` milliseconds. A later answer is cached. Never throws. */
  registration(domain: string, budgetMs: number): Promise<Registration>;
  /** Aborts the queries in progress. */
  close(): void;
}

/** The result of a registry query. */
export type RegistryResult =
  | {
      kind: 'record';
      record: RegistryRecord;
      /** The registrar's own RDAP record, if the registry leaves the registrant data to it. */
      registrarUrl: string | null;
    }
  /** An answer that can't be read. Retrying won't help. */
  | UnreadableAnswer
  /** No registry serves the TLD. */
  | { kind: 'unsupported' }
  /** No usable answer; worth a retry after this many seconds. */
  | { kind: 'unavailable'; retryAfterSeconds: number };

/** An unreadable answer, verbatim. */
export interface UnreadableAnswer {
  kind: 'unreadable';
  source: RegistryRecord['source'];
  text: string;
}

/** Queries the registry of a domain (A-labels). Never throws; ends soon after `signal` is aborted. */
export type QueryRegistry = (domain: string, signal: AbortSignal) => Promise<RegistryResult>;

/** Returns the record of an unregistered name. */
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
